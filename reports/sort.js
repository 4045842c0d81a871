"use strict";
// Sorts tables by their column heads and filters the table of submissions. Without it every row is there, in the
// order of the run. A cell's `data-sort` is its number, or empty where there is none: such cells come last both ways.
// Of a large class only the first rows are drawn until all are asked for: the style sheet hides those called `later`.
// A link to a list of those who did not pass a check, or who share a misconception, shows them in that table; one to a
// check opens what is told of it.
// Words come from the page, in `data-` attributes, with {names} where numbers go.

const collator = new Intl.Collator(document.documentElement.lang, { numeric: true, sensitivity: "base" });

function keyOf(row, column) {
  const cell = row.cells[column];
  const key = cell.dataset.sort;
  if (key === undefined) return cell.textContent.trim() || null;
  return key === "" ? null : Number(key);
}

function compare(a, b) {
  return typeof a === "number" ? a - b : collator.compare(a, b);
}

function sortBy(table, head) {
  const ascending = head.getAttribute("aria-sort") !== "ascending";
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", ascending ? "ascending" : "descending");
  const body = table.tBodies[0];
  const keyed = Array.from(body.rows, (row) => ({ row, key: keyOf(row, head.cellIndex) }));
  keyed.sort((a, b) => {
    if (a.key === null || b.key === null) return (a.key === null) - (b.key === null);
    return ascending ? compare(a.key, b.key) : compare(b.key, a.key);
  });
// All at once: to move the rows one by one has the browser look at the style sheet anew for each.
  body.replaceChildren(...keyed.map((item) => item.row));
  table.dispatchEvent(new Event("sorted"));
}

for (const table of document.querySelectorAll("table.sortable")) {
  for (const head of table.tHead.rows[0].cells) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    button.addEventListener("click", () => sortBy(table, head));
    head.append(button);
  }
}

const form = document.querySelector("form.filter");
if (form) {
  const [find, status, late, failed, having, shown, more, table] = [
    "find", "status", "late", "failed", "with", "shown", "more", "rows",
  ].map((id) => document.getElementById(id));
  const body = table.tBodies[0];
  const fill = (words, numbers) => words.replace(/\{(\w+)\}/g, (_, name) => numbers[name]);
  const texts = new Map();
  const textOf = (row) => {
    if (!texts.has(row)) texts.set(row, row.textContent.toLowerCase());
    return texts.get(row);
  };
  let most = Number(table.dataset.drawn);
  const arrange = () => {
    const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
    const chosen = (select, value) => !select || !select.value || select.value === value;
    const among = (select, values) => !select || !select.value || ` ${values} `.includes(` ${select.value} `);
    let count = 0;
    for (const row of body.rows) {
      const fits =
        chosen(status, row.dataset.status) &&
        chosen(late, row.dataset.late) &&
        among(failed, row.dataset.failed) &&
        among(having, row.dataset.with) &&
        words.every((word) => textOf(row).includes(word));
      count += fits;
      if (row.hidden === fits) row.hidden = !fits;
      if (row.classList.contains("later") !== count > most) row.classList.toggle("later", count > most);
    }
    const asked = words.length || [status, late, failed, having].some((select) => select && select.value);
    const numbers = { count, all: body.rows.length, most };
    more.hidden = count <= most;
    more.textContent = fill(more.dataset.words, numbers);
    shown.textContent = fill(
      count <= most ? shown.dataset.shown : asked ? shown.dataset.foundFirst : shown.dataset.thereFirst,
      numbers,
    );
  };
  const follow = (hash) => {
    const [, name, number] = /^#(failed|with)-(\d+)$/.exec(hash) || [];
    if (!name) return false;
    form.reset();
    (name === "failed" ? failed : having).value = number;
    arrange();
    table.closest("section").focus();
    table.closest("section").scrollIntoView();
    return true;
  };
  document.addEventListener("click", (event) => {
    const link = event.target.closest('a[href^="#"]');
    if (link && follow(link.hash)) {
      event.preventDefault();
      history.pushState(null, "", link.hash);
    }
  });
  addEventListener("popstate", () => follow(location.hash));
  more.addEventListener("click", () => {
    most = Infinity;
    arrange();
    table.parentElement.focus();
  });
  table.addEventListener("sorted", arrange);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(arrange));
  form.addEventListener("input", arrange);
  form.hidden = false;
  arrange();
  follow(location.hash);
}

const unfold = (hash) => {
  const target = /^#check-\d+$/.test(hash) && document.getElementById(hash.slice(1));
  if (target) target.open = true;
};
document.addEventListener("click", (event) => {
  const link = event.target.closest('a[href^="#check-"]');
  if (link) unfold(link.hash);
});
unfold(location.hash);
