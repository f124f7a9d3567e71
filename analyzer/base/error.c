#include "base.h"

#include <stdio.h>

ff_status ff_fail(ff_error *error, const char *format, ...)
{
    if (!error || error->text[0])
        return FF_FATAL;
    va_list args;
    va_start(args, format);
    (void)vsnprintf(error->text, sizeof error->text, format, args);
    va_end(args);
    return FF_FATAL;
}
