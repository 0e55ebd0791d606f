// SVG charts: lines and dots over two axes. Series differ in colour and dash pattern.

const LOOKS = [{ colour: "var(--accent)" }, { colour: "var(--focus)", dash: "6 3" }, { colour: "var(--third)", dash: "2 3" }];

function ticks(low, high, isLog) {
  if (isLog) {
    const found = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++)
      for (const digit of high / low > 1000 ? [1] : high / low > 30 ? [1, 3] : [1, 2, 5]) { const at = digit * 10 ** power; if (at >= low * 0.999 && at <= high * 1.001) found.push(at); }
    return found.length > 1 ? found : [low, high];
  }
  const rough = (high - low) / 5 || 1, power = 10 ** Math.floor(Math.log10(rough)), step = [1, 2, 5, 10].map((k) => k * power).find((k) => k >= rough);
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; k++) found.push(+(k * step).toPrecision(12));
  return found;
}
const short = (value) => (Math.abs(value) >= 10000 ? value.toLocaleString("en", { notation: "compact", maximumSignificantDigits: 3 }) : number(value, 3));

// The wanted width, or that of the window if smaller: text in a scaled-down chart would be too small to read.
const roomFor = (wanted) => Math.min(wanted, Math.max(290, document.documentElement.clientWidth - 24));

function chart({ title, x, y, series, marks = [], width: wanted = 480, height = 290, summary = "" }) {
  const width = roomFor(wanted);
  const points = series.flatMap((one) => [...one.points, ...(one.band || []).flatMap(([at, low, high]) => [[at, low], [at, high]])]);
  const range = (axis, k) => {
    const known = points.map((point) => point[k]).filter((value) => Number.isFinite(value)), low = axis.low ?? Math.min(...known), high = axis.high ?? Math.max(...known);
    return low === high ? [axis.log ? low / 2 : low - 0.5, axis.log ? high * 2 : high + 0.5] : [low, high];
  };
  const [x0, x1] = range(x, 0), [y0, y1] = range(y, 1), left = 62, top = 30, wide = width - left - 14, high = height - top - 46;
  const scale = (axis, from, to, value) => (axis.log ? Math.log(value / from) / Math.log(to / from) : (value - from) / (to - from));
  const px = (value) => left + wide * scale(x, x0, x1, value), py = (value) => top + high * (1 - scale(y, y0, y1, value));
  const svg = s("svg", { viewBox: `0 0 ${width} ${height}`, class: "chart", width, role: "img", "aria-label": `${title}. ${summary}` }, s("text", { class: "strong", x: left, y: 16 }, title));
  for (const at of ticks(x0, x1, x.log)) svg.append(s("line", { class: "grid", x1: px(at), x2: px(at), y1: top, y2: top + high }), s("text", { class: "small", x: px(at), y: top + high + 15, "text-anchor": "middle" }, short(at)));
  for (const at of ticks(y0, y1, y.log)) svg.append(s("line", { class: "grid", x1: left, x2: left + wide, y1: py(at), y2: py(at) }), s("text", { class: "small", x: left - 6, y: py(at) + 4, "text-anchor": "end" }, short(at)));
  svg.append(s("rect", { class: "frame", x: left, y: top, width: wide, height: high }), s("text", { class: "small", x: left + wide / 2, y: height - 8, "text-anchor": "middle" }, x.name),
    s("text", { class: "small", x: 13, y: top + high / 2, transform: `rotate(-90 13 ${top + high / 2})`, "text-anchor": "middle" }, y.name));
  if (x.diagonal) svg.append(s("line", { class: "axis", x1: px(x0), y1: py(y0), x2: px(x1), y2: py(y1), "stroke-dasharray": "4 4" }));
  for (const { at, name } of marks) svg.append(s("line", { class: "mark", x1: px(at), x2: px(at), y1: top, y2: top + high }),
    s("text", { class: "small", x: px(at) + (px(at) > width * 0.6 ? -5 : 5), y: top + 12, "text-anchor": px(at) > width * 0.6 ? "end" : "start" }, name));
  series.forEach((one, k) => {
    const { colour, dash } = LOOKS[k % LOOKS.length], kept = one.points.filter((point) => point.every(Number.isFinite));
    const line = one.steps ? kept.flatMap(([a, b], i) => (i ? [[a, kept[i - 1][1]], [a, b]] : [[a, b]])) : kept;
    const at = ([a, b]) => `${px(a).toFixed(1)},${py(b).toFixed(1)}`;
    if (one.band) svg.append(s("polygon", { points: [...one.band.map(([a, low]) => at([a, low])), ...[...one.band].reverse().map(([a, , up]) => at([a, up]))].join(" "), fill: colour, "fill-opacity": 0.15 }));
    if (one.dots) svg.append(s("g", { fill: colour, "fill-opacity": one.opacity || 0.45 }, kept.map(([a, b, r]) => s("circle", { cx: px(a).toFixed(1), cy: py(b).toFixed(1), r: r || 2.4 }))));
    else svg.append(s("polyline", { points: line.map(at).join(" "), fill: "none", stroke: colour, "stroke-width": 2.2, "stroke-dasharray": dash }));
    if (one.now) svg.append(s("circle", { cx: px(one.now[0]), cy: py(one.now[1]), r: 6, class: "now" }));
  });
  return svg;
}
function legendOf(series) {
  return h("ul", { class: "legend" }, series.map((one, k) => { const { colour, dash } = LOOKS[k % LOOKS.length];
    return h("li", {}, s("svg", { width: 30, height: 10, "aria-hidden": "true" }, s("line", { x1: 1, x2: 29, y1: 5, y2: 5, stroke: colour, "stroke-width": 2.5, "stroke-dasharray": dash })), " ", one.name); }));
}
function columnsChart(title, bins, low, high, name) {
  const width = roomFor(480), wide = width - 76, most = Math.max(1, ...bins), svg = s("svg", { viewBox: `0 0 ${width} 290`, width, class: "chart", role: "img", "aria-label": title }, s("text", { class: "strong", x: 62, y: 16 }, title));
  bins.forEach((n, k) => svg.append(s("rect", { class: "plain", x: 62 + (k * wide) / bins.length, width: wide / bins.length - 1, y: 244 - (214 * n) / most, height: (214 * n) / most })));
  const at = (value) => 62 + (wide * (value - low)) / (high - low || 1);
  svg.append(s("line", { class: "axis", x1: 62, x2: 62 + wide, y1: 244, y2: 244 }), s("text", { class: "small", x: 62 + wide / 2, y: 282, "text-anchor": "middle" }, name));
  for (const tick of ticks(low, high)) svg.append(s("text", { class: "small", x: at(tick), y: 259, "text-anchor": "middle" }, short(tick)));
  return svg;
}
