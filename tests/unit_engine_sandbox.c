/* What rule code can and cannot do. Each script runs as a rule file; assert in it makes it fail. */
#include "engine_bench.h"

#define STOPPED(rules, want) bench_refused(rules, want, __FILE__, __LINE__)

TEST(endless_work_is_stopped)
{
    STOPPED("while true do end", "1: instruction budget used up");
    STOPPED("local function f() return f() end f()", "1: instruction budget used up");
    STOPPED("local t = {} for i = 1, 1e15 do t[i % 9] = i end", "1: instruction budget used up");
    STOPPED("for i = 1, 1e15 do size_text(i) end", "1: instruction budget used up");
    STOPPED("local t = {} for i = 1, 20000 do t[i] = i % 7 end\n"
            "for i = 1, 1e9 do table.sort(t) end",
            "2: instruction budget used up");
    STOPPED("local t = {} for i = 1, 20000 do t[i] = i end\n"
            "for i = 1, 1e9 do table.insert(t, 1, i) table.remove(t, 1) end",
            "2: instruction budget used up");
    STOPPED("local t = {} for i = 1, 20000 do t[i] = i end\nfor i = 1, 1e9 do for k in pairs(t) do break end end",
            "2: instruction budget used up");
    STOPPED("local s = 'x' for i = 1, 15 do s = s .. s end for i = 1, 1e9 do local x = s .. i end",
            "1: instruction budget used up");
    STOPPED("local s = 'a' for i = 1, 14 do s = s .. s end for i = 1, 1e9 do string.find(s, s .. 'b') end", "");
    STOPPED("for i = 1, 1e9 do match('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!', '^(a+)+$') end",
            "1: match: pattern gave up");
}

TEST(memory_is_capped)
{
    STOPPED("local t = {} for i = 1, 1e9 do t[i] = { i } end", "0: memory limit of 32 MiB reached");
    STOPPED("local s = 'x' for i = 1, 40 do s = s .. s end", "0: a string is longer than 64 KiB");
    STOPPED("local t = {} for i = 1, 9000 do t[i] = 'abcdefgh' end table.concat(t)", "1: concat: a string is longer");
    STOPPED("local function f() return 1 + f() end f()", "0: memory limit of 32 MiB reached");
    STOPPED("local s = ('x'):rep(1e9)", "1: attempt to call a nil value (method 'rep')");
    STOPPED("string.format('%999999999d', 1)", "1: format: width or precision has more than two digits");
    STOPPED("table.unpack({}, 1, 1e8)", "1: bad argument #2 to 'unpack' (at most 200 values)");
}

TEST(nothing_of_the_outside_is_there)
{
    ACCEPTED("assert(io == nil and os == nil and debug == nil and load == nil and loadstring == nil)\n"
             "assert(require == nil and dofile == nil and loadfile == nil and package == nil and coroutine == nil)\n"
             "assert(collectgarbage == nil and rawset == nil and rawget == nil and setmetatable == nil)\n"
             "assert(getmetatable == nil and next == nil and pcall == nil and xpcall == nil and print == nil and _G "
             "== nil)\n"
             "assert(string.rep == nil and string.gsub == nil and string.gmatch == nil and string.dump == nil)\n"
             "assert(math.random == nil and math.randomseed == nil and table.move == nil and utf8 == nil)");
    STOPPED("\x1bLua binary", "0: ");
}

TEST(words_cannot_be_changed)
{
    REFUSED("x = 1", "1: \"x\" cannot be set here; use local");
    REFUSED("\nsignature = nil", "2: \"signature\" cannot be set here");
    REFUSED("string.len = nil", "1: \"len\" cannot be set here");
    REFUSED("math.pi = 3", "1: \"pi\" cannot be set here");
    REFUSED("table.insert(string, 'x')", "1: \"1\" cannot be set here");
    REFUSED("function seconds() end", "1: \"seconds\" cannot be set here");
    REFUSED("_ENV.keep = 1", "1: \"keep\" cannot be set here");
    REFUSED("('x').y = 1", "1: attempt to index a string value");
}

TEST(errors_of_any_kind_become_a_text)
{
    REFUSED("error('boom')", "1: boom");
    REFUSED("error({})", "1: error object is a table");
    REFUSED("error()", "1: error object is a nil");
    REFUSED("local x = nil + 1", "1: attempt to perform arithmetic on a nil value");
    REFUSED("this is not lua", "1: syntax error near 'is'");
    REFUSED("\n\nlocal t = {}\nt[nil] = 1", "4: table index is nil");
}

TEST(pairs_goes_in_sorted_order)
{
    ACCEPTED("local t, out = { z = 1, a = 2, [10] = 3, [2] = 4, [-1] = 5, [1.5] = 6, m = 7 }, {}\n"
             "for k, v in pairs(t) do out[#out + 1] = tostring(k) .. '=' .. v end\n"
             "assert(table.concat(out, ' ') == '-1=5 1.5=6 2=4 10=3 a=2 m=7 z=1', table.concat(out, ' '))\n"
             "local n = 0 for k in pairs(t) do t[k] = nil t.z = nil n = n + 1 end assert(n == 6)\n"
             "for _ in pairs({}) do error('empty') end");
    REFUSED("for k in pairs({ [{}] = 1 }) do end", "1: pairs: a key is a table");
    REFUSED("pairs(1)", "1: bad argument #1 to 'pairs' (table expected");
}

TEST(ordinary_lua_reads_like_lua)
{
    ACCEPTED(
        "assert(('abc'):upper() == 'ABC' and string.sub('hello', 2, 3) == 'el' and #'xyz' == 3)\n"
        "assert(string.byte('A') == 65 and ('x'):len() == 1 and tostring({}) == 'table')\n"
        "assert(select('#', 1, 2) == 2 and tonumber('0x10') == 16 and type(nil) == 'nil')\n"
        "assert(math.floor(2.7) == 2 and math.max(1, 5, 3) == 5 and 7 // 2 == 3)\n"
        "local a, b = string.find('a.c abc', 'a.c') assert(a == 1 and b == 3)\n"
        "assert(string.find('aXc', 'a.c') == nil and string.find('abcabc', 'abc', 2) == 4)\n"
        "assert(string.find('abc', '') == 1 and string.find('abc', 'c', -1) == 3 and string.find('abc', 'x', 9) == "
        "nil)\n"
        "local p = string.split('a,,b', ',') assert(#p == 3 and p[1] == 'a' and p[2] == '' and p[3] == 'b')\n"
        "assert(string.format('%5.1f|%-4d|%04x|%s|%3s|%%|%.2s', 1.25, 7, 255, 'x', 'y', 'abc') == "
        "'  1.2|7   |00ff|x|  y|%|ab')\n"
        "assert(string.format('%s %s %s', 1, 1.5, true) == '1 1.5 true' and string.format('%s', {}) == 'table')\n"
        "local t = { 3, 1, 2 } table.sort(t) assert(table.concat(t, ',') == '1,2,3')\n"
        "table.sort(t, function(x, y) return x > y end) assert(table.concat(t, ',') == '3,2,1')\n"
        "table.insert(t, 9) table.insert(t, 1, 8) assert(table.concat(t, ',') == '8,3,2,1,9')\n"
        "assert(table.remove(t) == 9 and table.remove(t, 1) == 8 and #t == 3 and table.remove({}) == nil)\n"
        "assert(select('#', table.unpack({ 1, 2, 3 })) == 3)");
    REFUSED("string.format('%p', {})", "1: format: \"%p\" is not known here");
    REFUSED("string.format('%d')", "1: bad argument #2 to 'format' (no value)");
    REFUSED("string.format('%')", "1: format: ends in the middle");
    REFUSED("table.sort({ 1, 'x' })", "1: attempt to compare");
    REFUSED("table.concat({ {} })", "1: concat: element 1 is a table");
    REFUSED("table.insert({}, 5, 1)", "1: bad argument #2 to 'insert' (position is out of the list)");
}

TEST(sorting_is_stable_and_survives_a_bad_comparison)
{
    ACCEPTED("local t = {} for i = 1, 300 do t[i] = { k = i % 3, i = i } end\n"
             "table.sort(t, function(a, b) return a.k < b.k end)\n"
             "for i = 2, 300 do assert(t[i - 1].k < t[i].k or (t[i - 1].k == t[i].k and t[i - 1].i < t[i].i)) end\n"
             "table.sort(t, function() return true end) assert(#t == 300)");
    REFUSED("table.sort({ 1, 2 }, function() error('inside') end)", "1: inside");
}

TEST(match_uses_pcre)
{
    ACCEPTED("assert(match('rank 12', '\\\\d+') == '12' and match('x', 'y') == nil)\n"
             "local a, b = match('k=v', '(\\\\w)=(\\\\w)') assert(a == 'k' and b == 'v')\n"
             "local c, d = match('b', '(a)?(b)') assert(c == nil and d == 'b')");
    REFUSED("match('x', '(')", "1: match: pattern is not valid at offset 1");
}

TEST(prelude_words_count_in_nanoseconds_and_kib)
{
    ACCEPTED("assert(seconds(60) == 60000000000 and minutes(1) == seconds(60) and hours(2) == minutes(120))\n"
             "assert(seconds(0.5) == 500000000 and math.type(seconds(1.5)) == 'integer')\n"
             "assert(gib(671088640) == '640 GiB' and gib(1572864) == '1.5 GiB')\n"
             "assert(size_text(671088640) == '640 GiB' and size_text(64 * 1024) == '64 MiB')\n"
             "assert(span_text(seconds(200)) == '3 min 20 s')");
    REFUSED("seconds('x')", "1: seconds wants a number");
    REFUSED("size_text(-1)", "1: bad argument #1 to 'size_text' (a size is not negative)");
}

TEST(judging_words_have_no_meaning_while_loading)
{
    REFUSED("order({ ref = 0 }, { ref = 0 })", "1: order and gap have a meaning only while judging");
}

int main(void)
{
    RUN(endless_work_is_stopped);
    RUN(memory_is_capped);
    RUN(nothing_of_the_outside_is_there);
    RUN(words_cannot_be_changed);
    RUN(errors_of_any_kind_become_a_text);
    RUN(pairs_goes_in_sorted_order);
    RUN(ordinary_lua_reads_like_lua);
    RUN(sorting_is_stable_and_survives_a_bad_comparison);
    RUN(match_uses_pcre);
    RUN(prelude_words_count_in_nanoseconds_and_kib);
    RUN(judging_words_have_no_meaning_while_loading);
    return DONE();
}
