const dark = matchMedia("(prefers-color-scheme: dark)").matches;
const config = dark ? { background: "transparent", axis: { gridColor: "#33363d" }, style: {} } : {};
for (const chart of document.querySelectorAll(".chart")) {
  const spec = JSON.parse(chart.querySelector("script").textContent);
  vegaEmbed(chart, spec, { actions: { export: true, source: false, compiled: false, editor: false }, config,
    renderer: "svg", theme: dark ? "dark" : undefined });
}
