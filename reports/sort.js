"use strict";
// Sorts tables by their column heads and filters the table of submissions. Without it every row is there, in the
// order of the run. A cell's `data-sort` is its number, or empty where there is none: such cells come last both ways.

const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

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
  body.append(...keyed.map((item) => item.row));
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
  const [find, status, late, shown] = ["find", "status", "late", "shown"].map((id) => document.getElementById(id));
  const rows = Array.from(document.querySelectorAll("#rows tbody tr"), (row) => {
    return { row, text: row.textContent.toLowerCase() };
  });
  const filter = () => {
    const words = find.value.toLowerCase().split(/\s+/);
    const chosen = (select, value) => !select || !select.value || select.value === value;
    let count = 0;
    for (const { row, text } of rows) {
      const fits =
        words.every((word) => text.includes(word)) &&
        chosen(status, row.dataset.status) &&
        chosen(late, row.dataset.late);
      row.hidden = !fits;
      count += fits;
    }
    shown.textContent = `${count} of ${rows.length} shown`;
  };
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", filter);
  form.hidden = false;
  filter();
}
