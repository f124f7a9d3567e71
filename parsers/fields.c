/* Builder for the fields of a fact, on the caller's stack. What does not fit any more is left out. */
#include "parser.h"

#include <inttypes.h>
#include <stdio.h>

static ff_field *next_field(ff_fields *f, const char *name, ff_field_type type)
{
    if (f->n == FF_COUNT(f->at))
        return NULL;
    ff_field *field = &f->at[f->n++];
    *field = (ff_field){ .name = ff_str(name), .type = type };
    return field;
}

void ff_fields_text(ff_fields *f, const char *name, ff_field_type type, ff_bytes value)
{
    if (ff_is_empty(value))
        return;
    ff_field *field = next_field(f, name, type);
    if (field)
        field->s = value;
}

void ff_fields_int(ff_fields *f, const char *name, ff_field_type type, int64_t value)
{
    ff_field *field = next_field(f, name, type);
    if (!field)
        return;
    char *digits = f->digits[field - f->at];
    snprintf(digits, sizeof f->digits[0], "%" PRId64, value);
    field->i = value;
    field->s = ff_str(digits);
}

void ff_fields_float(ff_fields *f, const char *name, double value)
{
    ff_field *field = next_field(f, name, FF_FIELD_FLOAT);
    if (!field)
        return;
    char *digits = f->digits[field - f->at];
    snprintf(digits, sizeof f->digits[0], "%.6g", value);
    field->is_float = true;
    field->f = value;
    field->s = ff_str(digits);
}
