#include "check.h"
#include "sample_report.h"
#include "text_checks.h"

#include "../analyzer/report/as_xlsx_private.h"

#include <stdlib.h>
#include <unistd.h>

static char folder[] = "/tmp/unit_report_xlsx_XXXXXX";

static const char *path_of(const char *name)
{
    static char path[256];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

/* What a command says, or nothing. */
static ff_bytes output_of(ff_arena *arena, const char *command)
{
    ff_text all;
    ff_text_init(&all, 64u << 20);
    FILE *f = popen(command, "r");
    char block[4096];
    for (size_t n; f && (n = fread(block, 1, sizeof block, f)) > 0;)
        ff_text_add(&all, (ff_bytes){ block, n });
    if (f)
        (void)pclose(f);
    ff_bytes out = ff_arena_copy(arena, ff_text_view(&all));
    ff_text_done(&all);
    return out;
}

/* One part of a written workbook, unpacked by a program that is not ours. */
static ff_bytes part(ff_arena *arena, const char *path, const char *name)
{
    char command[512];
    (void)snprintf(command, sizeof command, "unzip -p '%s' '%s'", path, name);
    return output_of(arena, command);
}

static sample made;

TEST(zip_is_whole_and_no_cell_is_a_formula)
{
    ff_error error = { { 0 } };
    const char *path = path_of("a.xlsx");
    char command[512], name[64];
    CHECK_INT(ff_write_xlsx(&made.report, path, &error), FF_OK);
    (void)snprintf(command, sizeof command, "unzip -tq '%s'", path);
    CHECK(ff_contains(output_of(&made.arena, command), FF_LIT("No errors detected")));
    for (int i = 1; i <= 16; i++) {
        (void)snprintf(name, sizeof name, "xl/worksheets/sheet%d.xml", i);
        ff_bytes sheet = part(&made.arena, path, name);
        CHECK(sheet.n > 500);
        CHECK_INT(count_of(sheet, "<f>"), 0);
        CHECK(!ff_contains(sheet, FF_LIT("<script>")));
        CHECK(!ff_contains(sheet, FF_LIT("\x1b")));
        CHECK(ff_contains(sheet, FF_LIT("state=\"frozen\"")));
    }
}

TEST(text_that_looks_like_a_formula_is_a_string)
{
    ff_bytes sheet = part(&made.arena, path_of("a.xlsx"), "xl/worksheets/sheet13.xml");
    CHECK(ff_contains(sheet, FF_LIT("t=\"inlineStr\"><is><t>=HYPERLINK(")));
    CHECK_INT(count_of(sheet, "<hyperlink "), 0);
}

TEST(finding_links_to_its_evidence)
{
    ff_bytes sheet = part(&made.arena, path_of("a.xlsx"), "xl/worksheets/sheet3.xml");
    CHECK_INT(count_of(sheet, "<hyperlink "), SAMPLE_FINDINGS);
    CHECK(ff_contains(sheet, FF_LIT("ref=\"P2\" location=\"'Evidence'!A2\"")));
    CHECK(ff_contains(sheet, FF_LIT("ref=\"P3\" location=\"'Evidence'!A4\"")));
    CHECK(ff_contains(sheet, FF_LIT("<conditionalFormatting sqref=\"B2:B13\">")));
    CHECK(ff_contains(sheet, FF_LIT("<autoFilter ref=\"A1:R13\"/>")));
}

TEST(times_are_dates_and_where_there_is_no_utc_they_are_words)
{
    ff_bytes sheet = part(&made.arena, path_of("a.xlsx"), "xl/worksheets/sheet4.xml");
    /* 2026-03-11 06:41:32 = 46092 days and 24092 / 86400 */
    CHECK(ff_contains(sheet, FF_LIT("<v>46092.278842592")));
    CHECK(ff_contains(sheet, FF_LIT("year not given")));
}

TEST(cell_keeps_to_what_the_format_holds)
{
    sample x;
    sample_init(&x);
    char *wide = ff_arena_take(&x.arena, 120001);
    for (size_t i = 0; i + 4 <= 120000; i += 4)
        memcpy(wide + i, "\xF0\x9F\x98\x80", 4); /* two UTF-16 units each */
    x.report.findings[0].summary = (ff_bytes){ wide, 120000 };
    x.report.findings[1].summary = FF_LIT("literal _x000D_ stays");
    ff_error error = { { 0 } };
    CHECK_INT(ff_write_xlsx(&x.report, path_of("b.xlsx"), &error), FF_OK);
    ff_bytes sheet = part(&x.arena, path_of("b.xlsx"), "xl/worksheets/sheet3.xml");
    CHECK_INT(count_of(sheet, "\xF0\x9F\x98\x80"), (FF_XLSX_CELL - 64) / 2);
    CHECK(ff_contains(sheet, FF_LIT("[cut: ")));
    CHECK(ff_contains(sheet, FF_LIT("literal _x005F_x000D_ stays")));
    CHECK(ff_contains(part(&x.arena, path_of("b.xlsx"), "xl/worksheets/sheet1.xml"),
                      FF_LIT("Some cells or sheets are cut")));
    sample_done(&x);
}

TEST(full_sheet_says_how_many_rows_are_missing)
{
    ff_error error = { { 0 } };
    CHECK_INT(ff_write_xlsx_rows(&made.report, path_of("c.xlsx"), 6, &error), FF_OK);
    ff_bytes sheet = part(&made.arena, path_of("c.xlsx"), "xl/worksheets/sheet3.xml");
    CHECK_INT(count_of(sheet, "<row "), 6);
    CHECK(ff_contains(sheet, FF_LIT("8 more rows are in report.json")));
}

TEST(same_report_gives_same_file)
{
    ff_error error = { { 0 } };
    char command[512];
    (void)sleep(1); /* a clock that leaked in would show after a second */
    CHECK_INT(ff_write_xlsx(&made.report, path_of("d.xlsx"), &error), FF_OK);
    (void)snprintf(command, sizeof command, "cmp '%s/a.xlsx' '%s/d.xlsx' && echo same", folder, folder);
    CHECK_TEXT(output_of(&made.arena, command), "same\n");
}

TEST(path_that_cannot_be_written_is_an_error_with_its_reason)
{
    ff_error error = { { 0 } };
    CHECK_INT(ff_write_xlsx(&made.report, path_of("no/such/folder.xlsx"), &error), FF_FATAL);
    CHECK(ff_contains(ff_str(error.text), FF_LIT("No such file")));
}

TEST(nothing_stays_behind_but_the_workbook)
{
    char command[512];
    (void)snprintf(command, sizeof command, "ls -A '%s' | tr '\\n' ' '", folder);
    CHECK_TEXT(output_of(&made.arena, command), "a.xlsx b.xlsx c.xlsx d.xlsx ");
}

int main(int argc, char **argv)
{
    sample_init(&made);
    if (argc == 2) /* for people: the workbook as a file */
        return ff_write_xlsx(&made.report, argv[1], NULL) != FF_OK;
    if (!mkdtemp(folder))
        return 1;
    RUN(zip_is_whole_and_no_cell_is_a_formula);
    RUN(text_that_looks_like_a_formula_is_a_string);
    RUN(finding_links_to_its_evidence);
    RUN(times_are_dates_and_where_there_is_no_utc_they_are_words);
    RUN(cell_keeps_to_what_the_format_holds);
    RUN(full_sheet_says_how_many_rows_are_missing);
    RUN(same_report_gives_same_file);
    RUN(path_that_cannot_be_written_is_an_error_with_its_reason);
    RUN(nothing_stays_behind_but_the_workbook);
    char command[128];
    (void)snprintf(command, sizeof command, "rm -r '%s'", folder);
    if (system(command) != 0)
        check_failed++;
    sample_done(&made);
    return DONE();
}
