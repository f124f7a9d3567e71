"use strict";
// Everything here is a convenience: the page is complete without it.
(function () {
    function each(selector, act) { Array.prototype.forEach.call(document.querySelectorAll(selector), act); }

    function openAround(element) {
        for (; element; element = element.parentElement)
            if (element.tagName === "DETAILS") element.open = true;
    }

    // A link to something inside a closed part opens that part.
    function followHash() {
        var target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
        if (!target) return;
        openAround(target);
        target.scrollIntoView();
    }

    function addCopyButton(box) {
        var code = box.querySelector("code");
        if (!code || !navigator.clipboard) return;
        var button = document.createElement("button");
        button.type = "button";
        button.className = "copy";
        button.textContent = "Copy";
        button.addEventListener("click", function () {
            navigator.clipboard.writeText(code.textContent).then(
                function () { button.textContent = "Copied"; },
                function () { button.textContent = "Not allowed here"; });
        });
        box.appendChild(button);
    }

    function addFilter(box) {
        var table = document.getElementById(box.getAttribute("data-filters"));
        var input = box.querySelector("input"), count = box.querySelector("output");
        if (!table || !input) return;
        var rows = Array.prototype.slice.call(table.tBodies[0].rows), texts = null;
        function apply() {
            var words = input.value.toLowerCase().split(/\s+/), shown = 0;
            texts = texts || rows.map(function (row) { return row.textContent.toLowerCase(); });
            rows.forEach(function (row, i) {
                row.hidden = !words.every(function (word) { return texts[i].indexOf(word) >= 0; });
                shown += row.hidden ? 0 : 1;
            });
            count.textContent = shown + " of " + rows.length + " rows";
        }
        box.hidden = false;
        input.addEventListener("input", apply);
    }

    function addOpenAll(section) {
        var parts = section.querySelectorAll("details");
        if (parts.length < 2) return;
        var button = document.createElement("button");
        button.type = "button";
        button.className = "openall";
        button.textContent = "Open all evidence";
        button.addEventListener("click", function () {
            var open = button.textContent.indexOf("Open") === 0;
            Array.prototype.forEach.call(parts, function (part) { part.open = open; });
            button.textContent = open ? "Close all evidence" : "Open all evidence";
        });
        section.insertBefore(button, section.children[1] || null);
    }

    each(".cmd", addCopyButton);
    each("[data-filters]", addFilter);
    each("[data-openall]", addOpenAll);
    window.addEventListener("hashchange", followHash);
    // On paper a closed part is lost, so what led to what is printed with its evidence.
    window.addEventListener("beforeprint", function () { each("#chain details", function (part) { part.open = true; }); });
    followHash();
}());
