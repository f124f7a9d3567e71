// The HTML report in a real browser: sections, links, filters, time line, keys, without script, dark, on paper, narrow and
// wide, for screen readers; and that hostile log text does nothing.
//
// node report.mjs FIRSTFAULT UNIT_REPORT_HTML SOURCE_TREE OUT
// FIRSTFAULT analyses fixtures, UNIT_REPORT_HTML writes the made reports (hostile text, 10,000 findings, 4,096 ranks).
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { chromium } from "playwright-core";

const [firstfault, unit, source, out] = process.argv.slice(2).map((path) => resolve(path));
const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const shots = join(out, "screenshots"), pages = join(out, "pages");
const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync"];
const GOLDEN = ["nccl-init-memcg-oom", "real-missing-rank", "real-healthy"];
const only = process.env.ONLY; // a name, to try one report
let failed = 0, passed = 0;

async function test(name, act) {
    try {
        await act();
        passed++;
    } catch (error) {
        failed++;
        console.error(`FAILED ${name}\n  ${String(error && error.stack || error).split("\n").slice(0, 6).join("\n  ")}`);
    }
}

// A context of its own for each page; what the page complains about, asks for, or pops up is kept.
async function withPage(file, options, act) {
    const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, timezoneId: "Asia/Kolkata", ...options });
    context.setDefaultTimeout(15000);
    context.setDefaultNavigationTimeout(60000);
    const page = await context.newPage(), seen = { complaints: [], requests: [], dialogs: 0 };
    page.on("console", (message) => { if (["error", "warning"].includes(message.type())) seen.complaints.push(message.text()); });
    page.on("pageerror", (error) => seen.complaints.push(error.message));
    page.on("request", (request) => seen.requests.push(request.url()));
    page.on("dialog", (dialog) => { seen.dialogs++; dialog.dismiss(); });
    try {
        await page.goto("file://" + file);
        await act(page, seen, context);
    } finally {
        await context.close();
    }
}

// For people to look at; a slow machine may miss one.
async function shot(page, name) {
    await page.screenshot({ path: join(shots, name + ".png") }).catch((error) => console.log(`no screenshot ${name}: ${error.message.split("\n")[0]}`));
}

async function isQuiet(page, seen, file) {
    assert.deepEqual(seen.complaints, []);
    assert.equal(seen.dialogs, 0);
    assert.deepEqual([...new Set(seen.requests)], ["file://" + file]);
}

async function sectionsRender(page) {
    const links = await page.$$eval(".toc a", (all) => all.map((a) => a.getAttribute("href")));
    const sections = await page.$$eval("main > section", (all) => all.map((s) => "#" + s.id));
    assert.ok(links.length >= 4);
    assert.deepEqual(sections, links, "each section is listed, in order");
    for (const id of sections) {
        const box = await page.locator(id).boundingBox();
        assert.ok(box && box.height > 30 && box.width > 200, id + " is drawn");
    }
}

async function linksLand(page) {
    const lost = await page.$$eval("a[href]", (all) => all.map((a) => a.getAttribute("href"))
        .filter((href) => !href.startsWith("#") || !document.getElementById(href.slice(1))));
    assert.deepEqual(lost, []);
    for (const link of await page.locator(".toc a").all()) {
        const id = await link.getAttribute("href");
        await link.click();
        const top = await page.$eval(id, (element) => element.getBoundingClientRect().top);
        const end = await page.evaluate(() => window.innerHeight + window.scrollY >= document.documentElement.scrollHeight - 2);
        assert.ok(Math.abs(top) < 60 || end, `${id} is ${top} px from the top`);
    }
}

async function isWide(page) {
    const [content, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    assert.ok(content <= window + 1, `content ${content} px in ${window} px`);
}

// Nothing of the chain needs a scroll sideways; quoted log lines do, in their own frames.
async function chainFits(page) {
    if (!await page.locator("#chain").count()) return;
    const cut = await page.$$eval("#chain *", (all) => all
        .filter((e) => e.offsetParent && !e.closest("figure") && getComputedStyle(e).overflowX !== "visible" && e.scrollWidth > e.clientWidth + 1)
        .map((e) => e.tagName + "." + e.className));
    assert.deepEqual(cut, []);
    assert.ok(await page.locator("#chain .box").first().isVisible());
}

async function isAccessible(page) {
    await page.evaluate(axeSource);
    const bad = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }).then((result) => result.violations
        .filter((v) => ["serious", "critical"].includes(v.impact))
        .map((v) => v.id + ": " + v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160) + " " + (n.any[0] ? n.any[0].message : "")).join(" | "))));
    assert.deepEqual(bad, []);
}

async function filtersWork(page) {
    const rows = page.locator("#findings-table tbody tr:visible"), all = await rows.count();
    if (!all) return;
    const input = page.locator("#findings-table-filter"), first = await rows.first().locator("code").first().textContent();
    await input.fill(first);
    assert.ok(await rows.count() >= 1 && await rows.count() <= all);
    for (const text of await rows.allTextContents()) assert.ok(text.toLowerCase().includes(first.toLowerCase()));
    await input.fill("no row has this");
    assert.equal(await rows.count(), 0);
    assert.match(await page.locator("[data-filters=findings-table] output").textContent(), /^0 of /);
    await input.fill("");
    assert.equal(await rows.count(), all);
    const select = page.locator("[data-filters=findings-table] select").first();
    if (!await select.count()) return;
    await select.selectOption({ index: 1 });
    const value = await select.inputValue(), name = await select.getAttribute("aria-label");
    assert.ok(await rows.count() >= 1 && await rows.count() < all);
    for (const has of await rows.evaluateAll((list, key) => list.map((row) => row.getAttribute("data-" + key)), name)) assert.equal(has, value);
    await select.selectOption({ index: 0 });
}

async function timeLineWorks(page) {
    const marks = () => page.$$eval("#timeline-picture .mk", (all) => all.filter((m) => m.getAttribute("visibility") !== "hidden").length);
    if (!await page.locator("#timeline-picture").count()) return;
    const all = await marks(), rows = page.locator("#moments tbody tr:visible"), before = await rows.count();
    const svg = page.locator("#timeline-picture svg");
    await svg.scrollIntoViewIfNeeded();
    const box = await svg.boundingBox(), at = (x, y) => [box.x + box.width * x, box.y + box.height * y];
    await page.mouse.move(...at(0.24, 0.1));
    await page.mouse.down();
    await page.mouse.move(...at(0.4, 0.1), { steps: 4 });
    await page.mouse.up();
    assert.ok(await marks() < all, "a drag zooms in");
    assert.ok(await rows.count() < before || before === 0, "the table follows");
    await page.locator("[data-zoom=all]").click();
    assert.equal(await marks(), all);
    assert.equal(await rows.count(), before);
    await page.locator("#timeline-picture").focus();
    await page.keyboard.press("+");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("0");
    assert.equal(await marks(), all);
    const ticks = () => page.locator("#timeline-picture .ticks text").allTextContents();
    assert.match((await ticks())[0], /^T[+-]/);
    if (!await page.locator("input[name=times]").count()) return;
    const time = page.locator("#moments time").first(), utc = await time.textContent();
    await page.locator("input[value=utc]").check();
    assert.match((await ticks())[0], /^\d\d:\d\d:\d\d\.\d\d\d$/);
    await page.locator("input[value=local]").check();
    assert.match(await time.textContent(), /\+05:30$/);
    assert.ok(!await page.locator(".card .z").first().isVisible().catch(() => false), "UTC is not said of local times");
    await page.locator("input[value=t]").check();
    assert.equal(await time.textContent(), utc);
}

// The chain at a glance: each box is a link that opens what it stands for, by mouse and by keyboard.
async function chainPictureWorks(page) {
    const boxes = page.locator("#chain-picture svg a");
    if (!await page.locator("#chain-picture").count()) return;
    assert.ok(await boxes.count() >= 2);
    for (const box of [boxes.first(), boxes.last()]) {
        const id = await box.getAttribute("href");
        await box.focus();
        await page.keyboard.press("Enter");
        await page.locator(`${id} figure`).first().waitFor({ state: "visible" });
    }
}

async function evidenceOpens(page, context) {
    const link = page.locator("#moments a[href^='#f']").first();
    if (!await link.count()) return;
    const id = await link.getAttribute("href");
    await link.click();
    assert.ok(await page.locator(`${id} figure`).first().isVisible(), "a link opens the evidence it leads to");
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.locator(`${id} .perma`).first().click();
    assert.ok((await page.evaluate(() => navigator.clipboard.readText())).endsWith(id), "the link to a finding is copied");
    const copy = page.locator(".cmd .copy").first();
    if (!await copy.count()) return;
    await copy.click();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), await page.locator(".cmd code").first().textContent());
}

async function keysWork(page) {
    await page.locator("body").click({ position: { x: 2, y: 2 } });
    await page.keyboard.press("/");
    assert.equal(await page.evaluate(() => document.activeElement.id), "findings-table-filter");
    await page.keyboard.press("Escape");
    await page.keyboard.press("n");
    assert.ok(await page.evaluate(() => document.activeElement.classList.contains("box")));
    await page.keyboard.press("o");
    assert.ok(await page.locator("#chain details[open]").count() >= 1);
    await page.keyboard.press("?");
    assert.ok(await page.locator("#keys p").isVisible());
    await page.keyboard.press("Shift+Tab");
    assert.notEqual(await page.evaluate(() => document.activeElement.tagName), "BODY");
}

async function oneReport(name, file, everything) {
    await withPage(file, {}, async (page, seen, context) => {
        await page.setViewportSize({ width: 1200, height: 2400 });
        await shot(page, name);
        await page.setViewportSize({ width: 1200, height: 900 });
        await test(name + ": sections", () => sectionsRender(page));
        await test(name + ": links land", () => linksLand(page));
        await test(name + ": filters", () => filtersWork(page));
        await test(name + ": time line", () => timeLineWorks(page));
        if (everything) {
            await test(name + ": chain at a glance", () => chainPictureWorks(page));
            await test(name + ": evidence and links", () => evidenceOpens(page, context));
            await test(name + ": keys", () => keysWork(page));
        }
        await test(name + ": accessible", () => isAccessible(page));
        await page.emulateMedia({ colorScheme: "dark" });
        if (everything) await test(name + ": accessible in the dark", () => isAccessible(page));
        await test(name + ": dark", async () => assert.ok(await page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).every((n) => +n < 60))));
        await shot(page, name + "-dark");
        await page.emulateMedia({ colorScheme: "light", media: "print" });
        await test(name + ": print", async () => {
            assert.ok(!await page.locator(".toc").isVisible());
            assert.ok(await page.locator("#verdict").isVisible());
            const hidden = await page.$$eval("main > section", (all) => all.filter((s) => !s.getBoundingClientRect().height).map((s) => s.id));
            assert.deepEqual(hidden.filter((id) => id !== "identity"), [], "only reference tables stay in the file");
            const wide = await page.$$eval("main table", (all) => all.filter((t) => t.getBoundingClientRect().width > innerWidth).length);
            assert.equal(wide, 0);
            const pdf = await page.pdf({ format: "A4" }), sheets = pdf.toString("latin1").match(/\/Type\s*\/Page\b/g).length;
            assert.ok(sheets <= 30, `${sheets} sheets`);
            writeFileSync(join(shots, name + ".pdf"), pdf);
        });
        await shot(page, name + "-print");
        await page.emulateMedia({ media: "screen" });
        for (const width of [400, 1600]) {
            await page.setViewportSize({ width, height: 900 });
            await test(`${name}: ${width} px`, () => isWide(page));
            await shot(page, `${name}-${width}`);
            if (width === 400) await test(name + ": chain at 400 px", () => chainFits(page));
            if (width === 400 && everything) await test(name + ": accessible at 400 px", () => isAccessible(page));
        }
        await test(name + ": quiet", () => isQuiet(page, seen, file));
    });
    await withPage(file, { javaScriptEnabled: false }, async (page, seen) => {
        await test(name + ": without script", async () => {
            for (const section of await page.locator("main > section").all()) assert.ok((await section.boundingBox()).height > 30);
            for (const control of await page.locator(".filter").all()) assert.ok(!await control.isVisible());
            const details = page.locator("details").first();
            if (await details.count()) {
                await details.locator("summary").first().click();
                assert.notEqual(await details.getAttribute("open"), null);
            }
            await isQuiet(page, seen, file);
        });
        await shot(page, name + "-noscript");
    });
}

async function manyFindings(file) {
    await withPage(file, {}, async (page, seen) => {
        const rows = page.locator("#findings-table tbody tr:visible"), input = page.locator("#findings-table-filter");
        await test("10,000 findings: ready soon", async () => {
            const ready = await page.evaluate(() => performance.timing.loadEventEnd - performance.timing.navigationStart);
            console.log(`10,000 findings: loaded in ${ready} ms`);
            assert.ok(ready < 20000);
        });
        await test("10,000 findings: all of them are searched, and text stays text", async () => {
            await input.fill("needle");
            assert.equal(await rows.count(), 1);
            assert.match(await rows.first().textContent(), /needle<\/script><script>alert/);
            assert.match(await page.locator("[data-filters=findings-table] output").textContent(), /^1 of 10000 /);
            await input.fill("");
            await page.locator("#findings .more").click();
            assert.equal(await rows.count(), 1000);
        });
        await test("10,000 findings: quiet", () => isQuiet(page, seen, file));
    });
}

// The browser library makes an empty profile for each start and removes it.
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium", headless: true, args: FLAGS });
mkdirSync(shots, { recursive: true });
mkdirSync(pages, { recursive: true });
for (const name of GOLDEN) {
    const file = join(pages, name + ".html");
    execFileSync(firstfault, ["analyze", join(source, "fixtures/bundles", name, "bundle"), "-q", "--html", file]);
    if (!only || only === name) await oneReport(name, file, name !== "real-healthy");
}
for (const kind of ["sample", "many", "ranks"]) execFileSync(unit, [join(pages, kind + ".html"), kind]);
if (!only || only === "hostile") await oneReport("hostile", join(pages, "sample.html"), true);
if (!only || only === "ranks") await oneReport("ranks", join(pages, "ranks.html"), false);
if (!only || only === "many") await manyFindings(join(pages, "many.html"));
await browser.close();
console.log(`${passed} passed, ${failed} failed; screenshots in ${shots}`);
process.exit(failed ? 1 : 0);
