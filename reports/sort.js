"use strict";
// Sorts tables by their column heads and filters the table of submissions. Without it every row is there, in the
// order of the run. A cell's `data-sort` is its number, or empty where there is none: such cells come last both ways.
// Of a large class only the first rows are drawn until all are asked for: the style sheet hides those called `later`.

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
  const [find, status, late, shown, more, table] = ["find", "status", "late", "shown", "more", "rows"].map((id) =>
    document.getElementById(id),
  );
  const body = table.tBodies[0];
  const texts = new Map();
  const textOf = (row) => {
    if (!texts.has(row)) texts.set(row, row.textContent.toLowerCase());
    return texts.get(row);
  };
  let most = Number(table.dataset.drawn);
  const arrange = () => {
    const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
    const chosen = (select, value) => !select || !select.value || select.value === value;
    let count = 0;
    for (const row of body.rows) {
      const fits =
        chosen(status, row.dataset.status) &&
        chosen(late, row.dataset.late) &&
        words.every((word) => textOf(row).includes(word));
      count += fits;
      if (row.hidden === fits) row.hidden = !fits;
      if (row.classList.contains("later") !== count > most) row.classList.toggle("later", count > most);
    }
    more.hidden = count <= most;
    more.textContent = `Show all ${count} rows`;
    const found = words.length || status.value || (late && late.value) ? "found" : "there";
    shown.textContent =
      count > most
        ? `${count} of ${body.rows.length} ${found}, the first ${most} shown`
        : `${count} of ${body.rows.length} shown`;
  };
  more.addEventListener("click", () => {
    most = Infinity;
    arrange();
    table.parentElement.focus();
  });
  table.addEventListener("sorted", arrange);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", arrange);
  form.hidden = false;
  arrange();
}
