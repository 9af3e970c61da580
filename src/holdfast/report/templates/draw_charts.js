// Colours are variables of the page's style, so that nothing is drawn again when the page turns dark or is printed.
const cell = (value) => {
  const text = value === null || value === undefined ? "" : String(value);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
const csv = (rows) => {
  const names = [...new Set(rows.flatMap(Object.keys))];
  return [names, ...rows.map((row) => names.map((name) => row[name]))].map((line) => line.map(cell).join(",")).join("\r\n") + "\r\n";
};
const draw = (figure, panels) => {
  const place = figure.querySelector(".panels");
  for (const { rows, chart } of panels) {
    const panel = place.appendChild(document.createElement("div"));
    vegaEmbed(panel, { ...chart, datasets: { ...chart.datasets, rows } }, { actions: false, renderer: "svg" });
  }
};
for (const figure of document.querySelectorAll(".chart")) {
  const { columns, panels } = JSON.parse(figure.querySelector("script").textContent);
  figure.style.setProperty("--columns", columns);
  const file = new Blob([csv(panels.flatMap((panel) => panel.rows))], { type: "text/csv" });
  figure.querySelector("a.data").href = URL.createObjectURL(file);
  const fold = figure.closest("details:not([open])"); // a folded figure has no width yet
  if (fold) fold.addEventListener("toggle", () => draw(figure, panels), { once: true });
  else draw(figure, panels);
}
