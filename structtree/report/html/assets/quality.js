// Quality of the tree: scores, confusion matrix with costs, one class against the others, residuals.

function qualityPanel() {
  if (!D.scores.length && !D.held_out && !D.main_scores) return [h("p", {}, "The data has no target, so predictions cannot be scored.")];
  const parts = [...scoreParts()];
  if (D.held_out && D.held_out.confusion.length) parts.push(h("h2", {}, "Confusion on new data"), h("p", { class: "note" }, `Predictions for the held-out individuals of ${D.held_out.folds} folds.`), heldOutConfusion());
  if (D.predictions) parts.push(...confusionParts(), ...thresholdParts());
  if (D.points) parts.push(...residualParts());
  return parts;
}
// How the individuals of this report relate to those of training, as a heading and in a phrase.
const ownName = () => (D.is_training ? "training data" : "this data");
const ownPhrase = () => (D.is_training ? "on the training data" : "on the data of this report");
function scoreParts() {
  const held = D.held_out, trained = D.is_training || !D.training ? null : D.training, own = D.scores.length ? new Map(D.scores.map(([name, ...rest]) => [name, rest])) : null;
  const columns = [], at = (rows, name, k) => { const row = rows.find((one) => one[0] === name); return row ? row[k] : null; };
  if (held) columns.push([`new data (${held.folds} folds)`, (name) => withSpread(name, at(held.scores, name, 1), at(held.scores, name, 3))]);
  if (own) columns.push([ownName(), (name) => scoreText(name, own.has(name) ? own.get(name)[0] : null)]);
  if (trained) columns.push(["training data", (name) => scoreText(name, at(trained.scores, name, 1))]);
  columns.push(["baseline", (name) => scoreText(name, held ? at(held.scores, name, 2) : own ? own.get(name)[1] : at(trained.scores, name, 2))]);
  const names = (held || trained || { scores: D.scores }).scores.map(([name]) => name), notes = [];
  if (held) notes.push(`New data: estimated by cross-validation when the tree was learned, with the standard deviation over ${held.folds} folds.`);
  else notes.push(D.has_held_out ? `${capital(D.main_scores)}.` : "Scores on new data are not known, since they were not estimated when the tree was learned.");
  if (own) notes.push(D.is_training ? "Training data: optimistic, since the tree was fitted to it." : D.is_training === false ? `This data: the ${number(D.n)} individuals of this report, which are not those of training; if some of them are, the scores are optimistic.`
    : `This data: the ${number(D.n)} individuals of this report; if the tree was trained on them, the scores are optimistic.`);
  notes.push(`Baseline: a constant prediction${held ? ` (${held.constant})` : ""}.`);
  return [h("h2", {}, "Scores"), h("p", { class: "note" }, notes.join(" ")),
    columns.length > 1 ? table(["", ...columns.map(([head]) => head)], names.map((name) => [metricName(name), ...columns.map(([, figure]) => figure(name))]), columns.map((_, k) => k + 1), "#Scores", null, true) : ""];
}
const capital = (text) => text[0].toUpperCase() + text.slice(1);
const scoreText = (name, value) => (value === null || value === undefined ? "–" : ["rmse", "mae", "median_ae"].includes(name) ? number(value) : value.toFixed(3));
// With a spread, errors have as many decimals as two digits of the spread need.
function withSpread(name, value, spread) {
  if (value === null || value === undefined || spread === null || spread === undefined) return scoreText(name, value);
  const isError = ["rmse", "mae", "median_ae"].includes(name), decimals = isError && spread > 0 ? Math.min(6, Math.max(0, 1 - Math.floor(Math.log10(spread)))) : 3;
  return `${value.toFixed(decimals)} ± ${spread.toFixed(decimals)}`;
}
const warning = () => (D.warning ? h("p", { class: "warning", role: "note" }, h("strong", {}, "Warning: "), data(D.warning), ".") : "");
function heldOutConfusion() {
  const { classes, confusion } = D.held_out;
  return confusionTable(classes.map((name, k) => (name === D.classes[k] ? className(k) : data(name))), classes, confusion);
}
const metricName = (name) => ({ roc_auc: "ROC AUC", r2: "R²", rmse: "root mean squared error", mae: "mean absolute error", median_ae: "median absolute error" })[name] || name.replaceAll("_", " ");
const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);

function confusionTable(heads, classes, cells) {
  const most = Math.max(1, ...cells.map((row) => Math.max(...row)));
  const shade = (n, isRight) => h("span", { class: isRight ? "cell right" : n ? "cell off" : "cell", style: `--share:${Math.sqrt(n / most).toFixed(2)}` }, number(n));
  const rows = cells.map((row, a) => [heads[a], ...row.map((n, p) => shade(n, a === p)), sum(row) ? number(row[a] / sum(row), 3) : "–"]);
  const totals = classes.map((_, p) => sum(cells.map((row) => row[p])));
  rows.push(["precision", ...totals.map((n, p) => (n ? number(cells[p][p] / n, 3) : "–")), ""]);
  return table(["true \\ predicted", ...classes, "recall"], rows, [...Array(classes.length + 1).keys()].map((x) => x + 1), "Rows are true classes, columns are predicted classes", null, true);
}

function confusionParts() {
  const k = D.classes.length, holder = h("div", {}), matrix = D.classes.map((_, a) => D.classes.map((__, p) => (D.costs ? D.costs[a][p] : a === p ? 0 : 1)));
  let isChanged = false;
  const decided = (chances, said) => {
    if (!isChanged) return said;
    const expected = D.classes.map((_, p) => sum(chances.map((chance, a) => chance * matrix[a][p])));
    return expected.indexOf(Math.min(...expected));
  };
  const update = () => {
    const cells = D.classes.map(() => new Array(k).fill(0));
    for (const [chances, said, counts] of D.predictions) { const p = decided(chances, said); counts.forEach((n, actual) => { cells[actual][p] += n; }); }
    const cost = sum(cells.map((row, a) => sum(row.map((n, p) => n * matrix[a][p])))), whole = sum(cells.map(sum)), right = sum(cells.map((row, a) => row[a]));
    holder.replaceChildren(confusionTable(D.classes.map((_, a) => className(a)), D.classes, cells),
      h("p", {}, `accuracy ${number(right / (whole || 1), 4)}; cost `, h("strong", { id: "total-cost" }, number(cost)), `, or ${number(cost / (whole || 1), 3)} per individual`,
        isChanged ? h("span", { class: "note" }, "; predictions minimise the expected cost") : ""));
  };
  const input = (a, p) => h("input", { type: "number", min: 0, step: "any", value: matrix[a][p], "data-cost": `${a},${p}`, "aria-label": `cost of predicting ${D.classes[p]} when the true class is ${D.classes[a]}`,
    oninput: (event) => { matrix[a][p] = Math.max(0, +event.target.value || 0); isChanged = true; update(); } });
  const costs = unfolding(h("details", { class: "costs" }, h("summary", {}, "Cost of each error")), () =>
    [table(["true \\ predicted", ...D.classes], matrix.map((row, a) => [className(a), ...row.map((_, p) => (a === p ? "0" : input(a, p)))]), [], "#Costs of errors", null, true)]);
  update();
  return [h("h2", {}, `Confusion ${ownPhrase()}`), holder, costs];
}

function thresholdParts() {
  const numbers = h("div", { class: "cells" }), pictures = h("div", { class: "cells" }), text = h("output", { "aria-live": "polite" });
  const positive = h("select", { id: "positive", onchange: () => update() }, D.classes.map((name, k) => h("option", { value: k }, name)));
  if (D.classes.length === 2) positive.value = "1";
  const slider = h("input", { type: "range", id: "threshold", min: 0, max: 1, step: 0.01, value: 0.5, oninput: () => update() });
  const costs = ["cost-miss", "cost-alarm"].map((id) => h("input", { type: "number", min: 0, step: "any", value: 1, id, oninput: () => update() }));
  const cheapest = h("button", { id: "cheapest", onclick: () => { slider.value = best(+positive.value); update(); } }, "Cheapest threshold");
  const price = ({ fn, fp }) => fn * (+costs[0].value || 0) + fp * (+costs[1].value || 0);
  function rates(k, t) {
    const found = { tp: 0, fp: 0, fn: 0, tn: 0 };
    for (const [chances, , counts] of D.predictions) {
      const said = chances[k] >= t, yes = counts[k], no = sum(counts) - yes;
      if (said) { found.tp += yes; found.fp += no; } else { found.fn += yes; found.tn += no; }
    }
    return found;
  }
  const best = (k) => [...Array(101).keys()].map((step) => step / 100).reduce((least, t) => (price(rates(k, t)) < price(rates(k, least)) ? t : least), 0);
  function update() {
    const k = +positive.value, t = +slider.value, now = rates(k, t), { tp, fp, fn, tn } = now, ratio = (a, b) => (a + b ? number(a / (a + b), 3) : "–");
    text.value = t.toFixed(2);
    slider.setAttribute("aria-valuetext", `${t.toFixed(2)}: recall ${ratio(tp, fn)}, precision ${ratio(tp, fp)}`);
    numbers.replaceChildren(table(["true \\ predicted", "yes", "no"], [["yes", number(tp), number(fn)], ["no", number(fp), number(tn)]], [1, 2], "At this threshold", null, true),
      table(["metric", "value"], [["precision", ratio(tp, fp)], ["recall", ratio(tp, fn)], ["specificity", ratio(tn, fp)], ["accuracy", ratio(tp + tn, fp + fn)], ["cost", h("span", { id: "cost" }, number(price(now)))]], [1], "Metrics at this threshold", null, true));
    pictures.replaceChildren(roc(k, now), coverage(k, now), calibration(k));
  }
  function steps(k) {
    return [Infinity, ...[...new Set(D.predictions.map((p) => p[0][k]))].sort((a, b) => b - a)].map((t) => rates(k, t));
  }
  const share = { low: 0, high: 1 }, small = { width: 330, height: 300 };
  function roc(k, { tp, fp, fn, tn }) {
    const points = steps(k).map((r) => [r.fp / (r.fp + r.tn || 1), r.tp / (r.tp + r.fn || 1)]);
    const area = points.slice(1).reduce((total, [x, y], i) => total + ((x - points[i][0]) * (y + points[i][1])) / 2, 0);
    return chart({ ...small, title: `ROC curve, area ${number(area, 3)}`, x: { name: "false positive rate", ...share, diagonal: true }, y: { name: "true positive rate", ...share }, series: [{ points, now: [fp / (fp + tn || 1), tp / (tp + fn || 1)] }] });
  }
  function coverage(k, { tp, fp, fn, tn }) {
    const all = tp + fp + fn + tn || 1, points = steps(k).map((r) => [(r.tp + r.fp) / all, r.tp / (r.tp + r.fn || 1)]);
    return chart({ ...small, title: "Coverage, most probable first", x: { name: "share of all individuals", ...share, diagonal: true }, y: { name: "share of the class found", ...share }, series: [{ points, now: [(tp + fp) / all, tp / (tp + fn || 1)] }] });
  }
  function calibration(k) {
    const at = new Map();
    for (const [chances, , counts] of D.predictions) { const known = at.get(chances[k]) || [0, 0]; at.set(chances[k], [known[0] + counts[k], known[1] + sum(counts)]); }
    const points = [...at].filter(([, [, all]]) => all).map(([chance, [yes, all]]) => [chance, yes / all, 2 + 12 * Math.sqrt(all / (D.n || 1))]);
    return chart({ ...small, title: "Calibration, one circle per prediction", x: { name: "predicted probability", ...share, diagonal: true }, y: { name: "observed share of the class", ...share }, series: [{ points, dots: true, opacity: 0.55 }] });
  }
  update();
  return [h("h2", {}, `One class against the others, ${ownPhrase()}`), h("div", { class: "toolbar" }, h("label", {}, "class ", positive), h("label", {}, "threshold ", slider), text,
    h("label", {}, "cost of a miss ", costs[0]), h("label", {}, "cost of a false alarm ", costs[1]), cheapest), numbers, pictures];
}

function residualParts() {
  const some = D.points.length < D.n ? ` (${number(D.points.length)} of ${number(D.n)} individuals)` : "";
  const rest = D.points.map(([said, actual]) => [said, actual - said]), all = D.points.flat(), low = Math.min(...all), high = Math.max(...all);
  const off = rest.map((point) => point[1]), [least, most] = [Math.min(...off), Math.max(...off)], bins = new Array(30).fill(0);
  for (const value of off) bins[Math.min(29, Math.floor((30 * (value - least)) / (most - least || 1)))] += 1;
  return [h("h2", {}, `Actual and predicted values, ${ownPhrase()}`), h("div", { class: "cells" },
    chart({ title: `Actual against predicted${some}`, x: { name: "predicted", low, high, diagonal: true }, y: { name: "actual", low, high }, series: [{ points: D.points, dots: true }] }),
    chart({ title: "Residuals: actual minus predicted", x: { name: "predicted" }, y: { name: "residual" }, series: [{ points: rest, dots: true }, { points: [[Math.min(...rest.map((p) => p[0])), 0], [Math.max(...rest.map((p) => p[0])), 0]] }] }),
    columnsChart("Histogram of residuals", bins, least, most, "residual"))];
}
