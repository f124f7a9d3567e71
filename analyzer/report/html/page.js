"use strict";
// Everything here is a convenience: the page is complete without it.
(function () {
    var SVG = "http://www.w3.org/2000/svg", PAGE_ROWS = 500;

    function all(selector, from) { return Array.prototype.slice.call((from || document).querySelectorAll(selector)); }

    function make(tag, className, text) {
        var element = document.createElement(tag);
        if (className) element.className = className;
        if (text !== undefined) element.textContent = text;
        return element;
    }

    function addButton(text, className, act) {
        var button = make("button", className, text);
        button.type = "button";
        button.addEventListener("click", act);
        return button;
    }

    // ---- what was just done, for eyes and screen readers ----
    var told = make("div", "said-now");
    told.setAttribute("role", "status");
    document.body.appendChild(told);
    var toldTimer = 0;
    function tell(text) {
        told.textContent = text;
        clearTimeout(toldTimer);
        toldTimer = setTimeout(function () { told.textContent = ""; }, 2500);
    }

    // Where a page from a file may not use the clipboard, the old way mostly still works.
    function copyText(text, words) {
        function oldWay() {
            var area = make("textarea");
            area.value = text;
            document.body.appendChild(area);
            area.select();
            var done = document.execCommand("copy");
            area.remove();
            tell(done ? words : "Copying is not allowed here");
        }
        if (navigator.clipboard) navigator.clipboard.writeText(text).then(function () { tell(words); }, oldWay);
        else oldWay();
    }

    // ---- links ----
    function openAround(element) {
        for (; element; element = element.parentElement)
            if (element.tagName === "DETAILS") element.open = true;
    }

    function showTarget(target) {
        openAround(target);
        var inside = target.querySelector("details");
        if (inside && /^f\d+$/.test(target.id)) inside.open = true;
        all(".target-now").forEach(function (old) { old.classList.remove("target-now"); });
        if (/^f\d+$/.test(target.id)) target.classList.add("target-now");
        target.scrollIntoView();
    }

    // A link to something inside a closed part opens that part.
    function followHash() {
        var target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
        if (target) showTarget(target);
    }

    document.addEventListener("click", function (event) {
        var link = event.target.closest ? event.target.closest("a") : null;
        if (!link) return;
        var to = link.getAttribute("href") || "";
        if (link.classList && link.classList.contains("perma")) copyText(location.href.split("#")[0] + to, "Link to " + link.textContent + " copied");
        else if (to === location.hash) followHash();
    });

    function addCopyButton(box) {
        var code = box.querySelector("code");
        if (code) box.appendChild(addButton("Copy", "copy", function () { copyText(code.textContent, "Command copied"); }));
    }

    function addCopyAll() {
        var codes = all("#next .cmd code");
        if (codes.length < 2) return;
        var parent = codes[0].closest(".ask");
        parent.parentElement.insertBefore(addButton("Copy all commands", "copyall", function () {
            copyText(codes.map(function (code) { return code.textContent; }).join("\n") + "\n", codes.length + " commands copied");
        }), parent);
    }

    // ---- tables: search, choices, and rows that are kept as data until somebody asks for them ----
    // Data: {"facets": [names], "rows": [[cells..., facet values..., ms], ...]}; cells are text only, ms is there for
    // moments alone, whose rows then take their place by number.
    function readMore(table) {
        var element = document.getElementById(table.id + "-data");
        var columns = table.tHead.rows[0].cells.length;
        if (!element) return [];
        var data = JSON.parse(element.textContent);
        return data.rows.map(function (cells) {
            var facets = {};
            data.facets.forEach(function (name, i) { facets[name] = cells[columns + i]; });
            var ms = cells[columns + data.facets.length];
            return { cells: cells.slice(0, columns), facets: facets, text: cells.slice(0, columns).join(" ").toLowerCase(), ms: ms || null };
        });
    }

    function buildRow(table, item) {
        var row = make("tr"), line = document.getElementById("timeline-controls"), t0 = line ? line.getAttribute("data-t0") : null;
        item.cells.forEach(function (text, i) {
            var head = table.tHead.rows[0].cells[i], cell = make(i ? "td" : "th", head.className, text);
            if (!i) cell.scope = "row";
            row.appendChild(cell);
        });
        if (item.ms !== null && t0 !== null) {
            var date = new Date(+t0 / 1000 + +item.ms), time = make("time", "", date.toISOString().slice(0, 23).replace("T", " "));
            time.dateTime = date.toISOString();
            row.cells[1].appendChild(make("br"));
            row.cells[1].appendChild(time);
        }
        return row;
    }

    // Where a row with a number belongs; at the end where rows have none.
    function rowBehind(rows, number) {
        var low = 0, high = rows.length;
        while (low < high) {
            var middle = (low + high) >> 1;
            if (rows[middle].order < number) low = middle + 1;
            else high = middle;
        }
        return low < rows.length ? rows[low].row : null;
    }

    function addFilter(box) {
        var table = document.getElementById(box.getAttribute("data-filters"));
        var input = box.querySelector("input"), output = box.querySelector("output");
        if (!table || !input) return;
        var body = table.tBodies[0], facets = (box.getAttribute("data-facets") || "").split(" ").filter(Boolean);
        var rows = Array.prototype.slice.call(body.rows).map(function (row) {
            var values = {};
            facets.forEach(function (name) { values[name] = row.getAttribute("data-" + name) || ""; });
            return { row: row, facets: values, text: null, ms: row.getAttribute("data-ms"), order: +row.getAttribute("data-order") };
        });
        var ordered = rows.length > 0 && rows[0].row.hasAttribute("data-order");
        var more = readMore(table), built = [], shownMore = 0, span = null, selects = {};
        var moreButton = addButton("", "more", function () { shownMore += PAGE_ROWS; apply(true); });

        function textOf(item) {
            if (item.text === null) item.text = item.row.textContent.toLowerCase();
            return item.text;
        }

        function fits(item, words) {
            if (span && (item.ms === null || item.ms === undefined || +item.ms < span[0] || +item.ms > span[1])) return false;
            return facets.every(function (name) { return !selects[name] || !selects[name].value || item.facets[name] === selects[name].value; }) &&
                (!words.length || words.every(function (word) { return textOf(item).indexOf(word) >= 0; }));
        }

        function apply(keep) {
            var words = input.value.toLowerCase().split(/\s+/).filter(Boolean), shown = 0;
            rows.forEach(function (item) {
                item.row.hidden = !fits(item, words);
                shown += item.row.hidden ? 0 : 1;
            });
            var narrowed = span || words.length || facets.some(function (name) { return selects[name] && selects[name].value; });
            if (keep !== true) shownMore = narrowed ? PAGE_ROWS : 0;
            built.forEach(function (row) { row.remove(); });
            built = [];
            var fitting = more.filter(function (item) { return fits(item, words); });
            fitting.slice(0, shownMore).forEach(function (item) {
                var row = buildRow(table, item);
                body.insertBefore(row, ordered ? rowBehind(rows, +item.cells[0]) : null);
                built.push(row);
            });
            if (built.length && document.body.classList.contains("is-local")) setLocal(true);
            var left = fitting.length - built.length;
            moreButton.hidden = left <= 0;
            moreButton.textContent = "Show " + Math.min(left, PAGE_ROWS) + " of " + left + " more";
            output.textContent = shown + fitting.length + " of " + (rows.length + more.length) + " rows";
        }

        facets.forEach(function (name) {
            var counts = {};
            rows.concat(more).forEach(function (item) { if (item.facets[name]) counts[item.facets[name]] = (counts[item.facets[name]] || 0) + 1; });
            var values = Object.keys(counts).sort();
            if (values.length < 2 || values.length > 400) return;
            var select = make("select");
            select.setAttribute("aria-label", name);
            select.appendChild(make("option", "", "any " + name)).value = "";
            values.forEach(function (value) { select.appendChild(make("option", "", value + " (" + counts[value] + ")")).value = value; });
            select.addEventListener("change", apply);
            box.insertBefore(select, output);
            selects[name] = select;
        });
        if (more.length) {
            var region = table.parentElement, note = region.nextElementSibling;
            region.parentElement.insertBefore(moreButton, region.nextSibling);
            if (note && note.classList.contains("more-data")) note.hidden = true;
        }
        box.hidden = false;
        input.addEventListener("input", apply);
        table.addEventListener("span", function (event) { span = event.detail; apply(); });
        if (more.length) apply();
    }

    // ---- time line ----
    function spanText(ms) {
        var sign = ms < 0 ? "-" : "+", s = Math.abs(ms) / 1000;
        if (s < 0.0000005) return "T+0";
        if (s < 1) return "T" + sign + +(s * 1000).toPrecision(4) + " ms";
        if (s < 60) return "T" + sign + +s.toPrecision(4) + " s";
        if (s < 3600) return "T" + sign + Math.floor(s / 60) + " min " + (Math.floor(s % 60 * 10) / 10).toFixed(1) + " s";
        var whole = Math.floor(s), h = Math.floor(whole / 3600), m = Math.floor(whole / 60) % 60;
        if (h < 48) return "T" + sign + h + " h " + m + " min " + whole % 60 + " s";
        return "T" + sign + Math.floor(h / 24) + " d " + h % 24 + " h " + m + " min";
    }

    function two(n, digits) { return String(n).padStart(digits || 2, "0"); }

    function localTime(date) {
        var off = -date.getTimezoneOffset();
        return date.getFullYear() + "-" + two(date.getMonth() + 1) + "-" + two(date.getDate()) + " " + two(date.getHours()) + ":" +
            two(date.getMinutes()) + ":" + two(date.getSeconds()) + "." + two(date.getMilliseconds(), 3) + " " + (off < 0 ? "-" : "+") +
            two(Math.floor(Math.abs(off) / 60)) + ":" + two(Math.abs(off) % 60);
    }

    function setLocal(on) {
        document.body.classList.toggle("is-local", on);
        all("time").forEach(function (element) {
            if (!element.hasAttribute("data-utc")) element.setAttribute("data-utc", element.textContent);
            var date = new Date(element.getAttribute("datetime"));
            element.textContent = on && !isNaN(date) ? localTime(date) : element.getAttribute("data-utc");
        });
    }

    function addTimeLine(box, controls) {
        var svg = box.querySelector("svg"), left = +svg.getAttribute("data-left"), right = +svg.getAttribute("data-right");
        var bottom = +svg.getAttribute("data-bottom"), ticks = svg.querySelector(".ticks"), output = controls.querySelector("output");
        var t0 = controls.hasAttribute("data-t0") ? +controls.getAttribute("data-t0") / 1000 : null;
        var table = document.getElementById("moments"), mode = "t", from = left, to = right;
        var marks = all(".mk", svg).map(function (g) {
            return { g: g, x: +g.getAttribute("data-x"), y: +g.getAttribute("data-y"), from: +g.getAttribute("data-from"),
                     to: +g.getAttribute("data-to"), ms: +g.getAttribute("data-ms"), err: g.querySelector(".err"),
                     shape: g.lastElementChild };
        });

        function place(x) { return left + (x - from) * (right - left) / (to - from); }
        function clamp(x) { return Math.min(right, Math.max(left, x)); }

        function label(ms) {
            if (mode === "t" || t0 === null) return spanText(ms);
            var date = new Date(t0 + ms);
            return mode === "utc" ? date.toISOString().slice(11, 23) : localTime(date).slice(11, 23);
        }

        function tick(x, ms) {
            var line = document.createElementNS(SVG, "line"), text = document.createElementNS(SVG, "text");
            line.setAttribute("class", "frame");
            [["x1", x], ["x2", x], ["y1", bottom], ["y2", bottom + 5]].forEach(function (p) { line.setAttribute(p[0], p[1]); });
            text.setAttribute("class", "t-dim");
            [["x", x], ["y", bottom + 19], ["font-size", 12], ["text-anchor", "middle"]].forEach(function (p) { text.setAttribute(p[0], p[1]); });
            text.textContent = label(ms);
            ticks.appendChild(line);
            ticks.appendChild(text);
        }

        function draw() {
            var next = left - 1, seen = [];
            while (ticks.children.length > 1) ticks.removeChild(ticks.lastChild);
            marks.forEach(function (m) {
                var x = place(m.x), inside = x >= left - 1 && x <= right + 1;
                m.g.setAttribute("visibility", inside ? "visible" : "hidden");
                m.shape.setAttribute("transform", "translate(" + (x - m.x) + " 0)");
                if (m.err) m.err.setAttribute("d", "M" + clamp(place(m.from)) + " " + (m.y - 4) + "v8m0 -4H" + clamp(place(m.to)) + "m0 -4v8");
                if (!inside) return;
                seen.push(m.ms);
                if (x < next) return;
                next = x + 100;
                tick(x, m.ms);
            });
            var whole = from === left && to === right;
            var span = whole ? null : [Math.min.apply(null, seen.concat(Infinity)) - 0.001, Math.max.apply(null, seen.concat(-Infinity)) + 0.001];
            output.textContent = whole ? "Drag over the picture to zoom" : seen.length + " of " + marks.length + " moments; the table shows the same span";
            if (table) table.dispatchEvent(new CustomEvent("span", { detail: span }));
        }

        function zoom(a, b) {
            var least = (right - left) / 4000;
            if (b - a < least) return;
            from = Math.max(left, a);
            to = Math.min(right, b);
            draw();
        }

        function zoomBy(factor) {
            var middle = (from + to) / 2, half = (to - from) / 2 * factor;
            zoom(Math.max(left, middle - half), Math.min(right, middle + half));
        }

        function move(part) {
            var by = (to - from) * part;
            by = Math.max(left - from, Math.min(right - to, by));
            zoom(from + by, to + by);
        }

        all("[data-zoom]", controls).forEach(function (button) {
            button.addEventListener("click", function () {
                var what = button.getAttribute("data-zoom");
                if (what === "all") zoom(left, right);
                else zoomBy(what === "in" ? 0.5 : 2);
            });
        });
        all("input[name=times]", controls).forEach(function (input) {
            input.addEventListener("change", function () {
                mode = input.value;
                setLocal(mode === "local");
                draw();
            });
        });
        box.addEventListener("keydown", function (event) {
            var act = { "+": function () { zoomBy(0.5); }, "=": function () { zoomBy(0.5); }, "-": function () { zoomBy(2); },
                        "0": function () { zoom(left, right); }, "Escape": function () { zoom(left, right); },
                        "ArrowLeft": function () { move(-0.25); }, "ArrowRight": function () { move(0.25); } }[event.key];
            if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
            if (event.key.indexOf("Arrow") === 0 && from === left && to === right) return;
            event.preventDefault();
            act();
        });

        // A drag marks a span; a click stays a click, so that marks still lead to their findings.
        var start = null, brush = null;
        function pictureX(event) {
            var m = svg.getScreenCTM();
            return m ? clamp((event.clientX - m.e) / m.a) : left;
        }
        svg.addEventListener("pointerdown", function (event) {
            if (event.button !== 0) return;
            start = pictureX(event);
        });
        window.addEventListener("pointermove", function (event) {
            if (start === null) return;
            var x = pictureX(event);
            if (!brush && Math.abs(x - start) < 6) return;
            if (!brush) {
                brush = svg.appendChild(document.createElementNS(SVG, "rect"));
                brush.setAttribute("class", "brush");
                brush.setAttribute("y", 0);
                brush.setAttribute("height", bottom);
            }
            brush.setAttribute("x", Math.min(x, start));
            brush.setAttribute("width", Math.abs(x - start));
        });
        function endBrush(event) {
            if (start === null) return;
            if (brush && event.type === "pointerup") {
                var a = Math.min(start, pictureX(event)), b = Math.max(start, pictureX(event)), scale = (to - from) / (right - left);
                zoom(from + (a - left) * scale, from + (b - left) * scale);
            }
            if (brush) brush.remove();
            start = brush = null;
        }
        window.addEventListener("pointerup", endBrush);
        window.addEventListener("pointercancel", endBrush);
        svg.addEventListener("click", function (event) {
            var mark = event.target.closest("[data-goto]");
            if (mark) location.hash = mark.getAttribute("data-goto");
        });
        svg.addEventListener("dragstart", function (event) { event.preventDefault(); });
        controls.hidden = false;
        draw();
    }

    // ---- opening everything, keys ----
    function addOpenAll(section) {
        var parts = all("details", section);
        if (parts.length < 2) return;
        var button = addButton("Open all evidence", "openall", function () {
            var open = button.textContent.indexOf("Open") === 0;
            parts.forEach(function (part) { part.open = open; });
            button.textContent = open ? "Close all evidence" : "Open all evidence";
        });
        section.insertBefore(button, section.querySelector(".chain") || section.children[1] || null);
    }

    var current = -1;
    function step(by) {
        var boxes = all(".box");
        if (!boxes.length) return;
        current = Math.max(0, Math.min(boxes.length - 1, current + by));
        all(".target-now").forEach(function (old) { old.classList.remove("target-now"); });
        openAround(boxes[current].parentElement);
        boxes[current].classList.add("target-now");
        boxes[current].tabIndex = -1;
        boxes[current].focus();
        boxes[current].scrollIntoView({ block: "center" });
    }

    document.addEventListener("keydown", function (event) {
        var typing = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName) && event.target.type !== "radio";
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        if (typing) {
            if (event.key === "Escape") event.target.blur();
            return;
        }
        var search = document.getElementById("findings-table-filter"), keys = document.getElementById("keys");
        if (event.key === "/" && search) {
            event.preventDefault();
            search.scrollIntoView({ block: "center" });
            search.focus();
        } else if (event.key === "n" || event.key === "p") {
            step(event.key === "n" ? 1 : -1);
        } else if (event.key === "o") {
            var open = document.querySelector(".openall");
            if (open) open.click();
        } else if (event.key === "?" && keys) {
            showTarget(keys.querySelector("summary"));
            keys.querySelector("summary").focus();
        }
    });

    all(".cmd").forEach(addCopyButton);
    addCopyAll();
    all("[data-filters]").forEach(addFilter);
    all("[data-openall]").forEach(addOpenAll);
    var picture = document.getElementById("timeline-picture"), controls = document.getElementById("timeline-controls");
    if (picture && controls) addTimeLine(picture, controls);
    all("#keys").forEach(function (part) { part.hidden = false; });
    // The list of moments begins before the incident: what is shown first is where it begins.
    var moments = document.getElementById("moments"), begin = moments && moments.querySelector("tbody tr[data-first]:not([data-role=''])");
    if (begin) moments.parentElement.scrollTop = begin.offsetTop - moments.tHead.offsetHeight - begin.offsetHeight;
    window.addEventListener("hashchange", followHash);
    // On paper a closed part is lost, so what led to what is printed with its evidence.
    var opened = [];
    window.addEventListener("beforeprint", function () {
        opened = all("#chain .chain details").filter(function (part) { return !part.open; });
        opened.forEach(function (part) { part.open = true; });
    });
    window.addEventListener("afterprint", function () {
        opened.forEach(function (part) { part.open = false; });
        opened = [];
    });
    followHash();
}());
