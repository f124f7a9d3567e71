/* Every parser, coat, reader and block, one line each; the order breaks ties. This file is included several times, so
 * there is no other place to forget. Parsers: documents first, then exact line formats, then the catch-alls. */
#ifndef FF_PARSER
#define FF_PARSER(name)
#endif
#ifndef FF_COAT
#define FF_COAT(name)
#endif
#ifndef FF_READER
#define FF_READER(name)
#endif
#ifndef FF_BLOCK
#define FF_BLOCK(name)
#endif

FF_PARSER(plain)

#undef FF_PARSER
#undef FF_COAT
#undef FF_READER
#undef FF_BLOCK
