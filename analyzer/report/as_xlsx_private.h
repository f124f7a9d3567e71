/* A sheet of the workbook, filled row by row from top to bottom (the library writes each row out and forgets it). */
#ifndef FF_AS_XLSX_PRIVATE_H
#define FF_AS_XLSX_PRIVATE_H

#include "html_private.h"

#include <xlsxwriter.h>

#define FF_XLSX_ROWS 1048576u /* rows of a sheet, by the format */
#define FF_XLSX_CELL 32767u   /* UTF-16 units of a cell, by the format */
#define FF_XLSX_LINKS 65000u  /* links of a sheet; the format allows 65,530 */

typedef struct ff_book {
    ff_html h; /* offsets and roles, as on the page */
    lxw_workbook *workbook;
    lxw_format *head, *wrap, *plain, *when, *link, *count, *seconds, *note, *gib;
    lxw_format *worst, *bad, *warn, *quiet;
    uint32_t rows;          /* most rows of a sheet */
    uint32_t *evidence_row; /* first row, from 1, of each finding on the Evidence sheet; 0: none */
    ff_text text, clean, cell;
    uint32_t moments; /* rows of the Timeline sheet, once it is written */
    bool cut;         /* a cell or a sheet did not hold everything */
} ff_book;

typedef struct ff_column {
    const char *title;
    double width; /* characters */
} ff_column;

typedef struct ff_sheet {
    ff_book *book;
    lxw_worksheet *sheet;
    uint32_t row, left_out, links;
    uint16_t columns;
} ff_sheet;

/* The sheets are made before the first row is written, so that order and links are fixed. */
ff_sheet ff_sheet_open(ff_book *b, lxw_worksheet *sheet, const ff_column *columns, uint16_t n);
bool ff_sheet_next(ff_sheet *s);  /* to the next row; false: the sheet is full, and the row is counted as left out */
void ff_sheet_close(ff_sheet *s); /* filter, and a last row that says what was left out */
/* A column of severities: the words get colours by rule, so that they keep them when a reader sorts. */
void ff_sheet_colour(ff_sheet *s, uint16_t column);

/* Another word that gets a colour by rule, in any column. */
void ff_sheet_mark(ff_sheet *s, uint16_t column, const char *word, lxw_format *format);

/* Text is always a string: never a formula, a link or a number, whatever it looks like. Empty text leaves the cell.
 */
void ff_cell_text(ff_sheet *s, uint16_t column, ff_bytes text);
void ff_cell_str(ff_sheet *s, uint16_t column, const char *ours);
void ff_cell_said(ff_sheet *s, uint16_t column, void (*say)(ff_text *, const ff_who *), const ff_who *who);
void ff_cell_count(ff_sheet *s, uint16_t column, uint64_t n);
void ff_cell_number(ff_sheet *s, uint16_t column, int32_t n); /* FF_NO_NUMBER leaves the cell */
void ff_cell_seconds(ff_sheet *s, uint16_t column, int64_t ns);
/* A date with milliseconds in UTC; where there is no UTC, the text of what was said. */
void ff_cell_when(ff_sheet *s, uint16_t column, bool has_utc, int64_t ns, ff_stamp said);
void ff_cell_offset(ff_sheet *s, uint16_t column, const ff_signal *signal); /* seconds since T+0 */
void ff_cell_link(ff_sheet *s, uint16_t column, const char *sheet, uint32_t row, const char *words); /* row from 1 */
void ff_cell_list(ff_sheet *s, uint16_t column, const ff_bytes *items, uint32_t n);
void ff_cell_ranks(ff_sheet *s, uint16_t column, const int32_t *ranks, uint32_t n);
void ff_cell_place(ff_sheet *s, uint16_t column, ff_record at);

void ff_xlsx_summary(ff_book *b, lxw_worksheet *sheet);
void ff_xlsx_incidents(ff_book *b, lxw_worksheet *sheet);
void ff_xlsx_findings(ff_book *b, lxw_worksheet *sheet);
void ff_xlsx_evidence(ff_book *b, lxw_worksheet *sheet);
void ff_xlsx_timeline(ff_book *b, lxw_worksheet *sheet);
void ff_xlsx_ranks(ff_book *b, lxw_worksheet *sheet);
void ff_xlsx_collectives(ff_book *b, lxw_worksheet *sheet);
void ff_xlsx_gpus(ff_book *b, lxw_worksheet *sheet);
void ff_xlsx_network(ff_book *b, lxw_worksheet *sheet);
void ff_xlsx_operations(ff_book *b, lxw_worksheet *sheet);
void ff_xlsx_bandwidth(ff_book *b, lxw_worksheet *sheet);
void ff_xlsx_fingerprint(ff_book *b, lxw_worksheet *sheet);
void ff_xlsx_memory(ff_book *b, lxw_worksheet *sheet);
void ff_xlsx_hosts(ff_book *b, lxw_worksheet *sheet);
void ff_xlsx_coverage(ff_book *b, lxw_worksheet *sheet);
void ff_xlsx_environment(ff_book *b, lxw_worksheet *sheet);

/* ff_write_xlsx with another limit of rows, for tests of what happens there. */
ff_status ff_write_xlsx_rows(const ff_report *r, const char *path, uint32_t rows, ff_error *error);

#endif
