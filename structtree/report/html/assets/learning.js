// Rules, and how the tree was learned: sizes, importances, effort, grammar, parameters, data.

function rulesPanel() {
  const body = h("ol", { class: "rules" }), shown = h("output", { "aria-live": "polite" });
  const filter = h("input", { type: "search", id: "find-rules", "aria-label": "Search the rules", placeholder: "Search the rules", oninput: () => show() });
  const answers = [...new Set(D.rules.map((rule) => rule[2]))];
  const only = h("select", { id: "rules-for", onchange: () => show() }, h("option", { value: "" }, "all"), answers.map((answer, k) => h("option", { value: k }, answer)));
  const order = h("select", { id: "rules-by", onchange: () => show() }, h("option", { value: "n" }, "individuals"), h("option", { value: "sure" }, isClasses ? "confidence" : "spread"), h("option", { value: "tree" }, "order in the tree"));
  const show = () => {
    const wanted = filter.value.trim().toLowerCase(), answer = only.value === "" ? null : answers[+only.value];
    const rows = D.rules.filter(([words, texts, said]) => (answer === null || said === answer) && (!wanted || [...words, ...texts, said].some((text) => text.toLowerCase().includes(wanted))));
    if (order.value !== "tree") rows.sort(order.value === "n" ? (a, b) => b[3] - a[3] : (a, b) => (isClasses ? b[4] - a[4] : a[4] - b[4]) || b[3] - a[3]);
    shown.value = count(rows.length, "rule", "rules");
    body.replaceChildren(...rows.map(ruleItem));
  };
  show();
  return [h("p", { class: "note" }, "Rules that apply to the same individual predict the same as the tree, so their order does not matter. Counts are from the training data."),
    h("div", { class: "toolbar" }, filter, isClasses ? h("label", {}, "predicting ", only) : "", h("label", {}, "sorted by ", order), shown), body];
}
function ruleItem([words, texts, said, n, sure, leaves, weight]) {
  const conditions = words.length ? h("ul", {}, words.map((one, k) => h("li", {}, data(one), " ", h("code", { class: "data" }, texts[k])))) : h("p", {}, "always");
  const size = n === null ? "" : count(n, "individual", "individuals") + (weight === null ? "" : ` of weight ${number(weight, 4)}`);
  const certainty = sure === null ? "" : isClasses ? `, ${number(100 * sure, 3)} % correct` : ` ± ${number(sure, 3)}`;
  const figures = n === null ? "" : isClasses ? ` ${size}${certainty}` : `${certainty}, ${size}`;
  const place = D.classes.indexOf(said);
  return h("li", {}, h("div", { class: "if" }, conditions), h("p", { class: "then" }, h("strong", {}, place < 0 ? data(said) : className(place)),
    h("span", { class: "note" }, figures), " ",
    h("button", { "aria-label": `Show in the tree: ${said}`, onclick: () => { selectTab("tree"); follow(leaves[0]); } }, "Show")));
}

function sizesPanel() {
  const { chosen, training, held_out, here } = D.sizes, measure = isClasses ? (D.costs ? "mean cost" : "error rate") : "mean squared error";
  const series = [];
  if (held_out) series.push({ name: "held out in cross-validation (band: one standard error)", points: held_out, band: held_out.map(([n, loss, error]) => [n, Math.max(0, loss - error), loss + error]) });
  series.push({ name: "training data", points: training });
  if (here && !D.is_training) series.push({ name: "data of this report", points: here });
  const sizes = [...new Set(series.flatMap((one) => one.points.map((point) => point[0])))].sort((a, b) => a - b);
  const at = series.map((one) => new Map(one.points.map(([n, loss]) => [n, loss])));
  const why = held_out ? "The size was chosen by cross-validation: trees grown on the training folds were pruned to many sizes and scored on the held-out fold." : "The size was not chosen by cross-validation. The curves show the effect of pruning the tree further.";
  if (sizes.length < 2) return [h("p", {}, "The tree is a single leaf and cannot be pruned.")];
  return [h("p", {}, `The tree has ${count(chosen, "leaf", "leaves")}. `, why), legendOf(series),
    h("div", { class: "cells" }, chart({ title: "Error by tree size", width: 760, height: 380, x: { name: "leaves", log: sizes.at(-1) > 20 }, y: { name: measure, low: 0 }, series: series.map((one) => ({ ...one, points: one.points.map(([n, loss]) => [n, loss]) })), marks: [{ at: chosen, name: `this tree: ${number(chosen)}` }] })),
    h("details", {}, h("summary", {}, "Table"), table(["leaves", ...series.map((one) => one.name.replace(/ \(.*/, ""))], sizes.map((n) => [n === chosen ? h("strong", {}, number(n)) : number(n), ...at.map((known) => (known.has(n) ? number(known.get(n)) : ""))]), [0, 1, 2, 3], measure))];
}

// A path that may be wrapped after its dots.
const dotted = (path) => h("span", { class: "data" }, path.split(/(?<=\.)/).map((part) => [part, h("wbr")]));
function importancePanel() {
  if (!D.importances.length) return [h("p", {}, "The tree has no tests.")];
  const bar = (share, most) => s("svg", { class: "bar", viewBox: "0 0 220 14", "aria-hidden": "true" }, s("rect", { class: "plain", width: (218 * share) / (most || 1), height: 12, rx: 2 }));
  const percent = (share) => `${number(100 * share, 3)} %`;
  return [h("p", { class: "note" }, "The importance of a test is its gain times the number of individuals at its node, divided among the members that it uses."),
    h("h2", {}, "By attribute or link"), table(["attribute", "share", ""], D.importances.map(([name, share]) => [dotted(name), percent(share), bar(share, D.importances[0][1])]), [1], "#By attribute", null, true),
    D.parts.length ? [h("h2", {}, D.data.length > 1 ? "By substructure" : "By test"), table(["condition", "share", ""], D.parts.map(([words, text, share]) => [h("div", {}, data(words), " ", h("code", { class: "data" }, text)), percent(share), bar(share, D.parts[0][2])]), [1], "#By substructure", null, true)] : ""];
}

const certainty = (i) => {
  const [, , , proved, gap, , , stopped] = D.nodes[i].found;
  if (proved) return costOf(i)[1] ? "proved cheapest within the tolerance" : "proved best";
  return `not proved best${stopped ? `, stopped by ${stopped}` : ""}; gap at most ${number(gap, 3)}`;
};
function effortPanel() {
  const branches = D.nodes.map((node, i) => i).filter((i) => D.nodes[i].kids);
  if (!branches.length) return [h("p", {}, "The tree has no tests, so there was nothing to search.")];
  const found = branches.map((i) => D.nodes[i].found), evaluated = sum(found.map((f) => f[5])), seconds = sum(found.map((f) => f[6])), proved = found.filter((f) => f[3]).length;
  const hasPruned = found.some((f) => f[8] !== null && f[8] !== undefined), hasSpace = found.some((f) => f[9]), hasTime = found.some((f) => f[6]);
  const hasCost = Boolean(D.test_costs), costs = (i) => { const [cost, better] = costOf(i); return hasCost ? [number(cost), better ? shareText(better[3]) : ""] : []; };
  const heads = ["test", "individuals", ...(hasSpace ? ["space"] : []), "evaluated", ...(hasSpace ? ["share"] : []), ...(hasPruned ? ["pruned"] : []), ...(hasTime ? ["seconds"] : []), ...(hasCost ? ["cost", "gain given up"] : []), "certainty"];
  const rows = branches.slice(0, 200).map((i) => { const f = D.nodes[i].found;
    return [h("button", { class: "step", onclick: () => { selectTab("tree"); choose(i); } }, data(D.nodes[i].words)), number(D.nodes[i].n), ...(hasSpace ? [number(f[9])] : []), number(f[5]), ...(hasSpace ? [f[9] ? `${number((100 * f[5]) / f[9], 2)} %` : "–"] : []), ...(hasPruned ? [number(f[8])] : []), ...(hasTime ? [number(f[6], 3)] : []), ...costs(i), certainty(i)]; });
  const numeric = heads.map((_, k) => k).slice(1, -1);
  return [h("p", {}, `${number(evaluated)} predicates were evaluated with ${found[0][0]} for ${count(branches.length, "test", "tests")}${hasTime ? ` in ${number(seconds, 3)} s` : ""}; ${proved === branches.length ? "every test is proved best" : proved ? `${number(proved)} of the tests are proved best` : "none is proved best"}.`),
    D.caveats.map((line) => h("p", {}, data(line))), costParts(), hasSpace ? savedParts(branches, hasPruned) : "", criteriaParts(), traceParts(branches), h("h2", {}, "By node"), hasPruned ? h("p", { class: "note" }, "Pruned: predicates whose refinements were skipped, since none of them can beat the best found.") : "",
    table(heads, rows, numeric, branches.length > 200 ? "The first 200 tests" : "#All tests", null, true)];
}
function costParts() {
  if (!D.test_costs) return "";
  const { tolerance, note } = D.test_costs;
  return h("p", {}, `Cost tolerance ${shareText(tolerance)}: of the tests that gain at most ${shareText(tolerance)} less than the best, the cheapest was chosen. A test costs 1 per literal, unless the grammar gives it another cost. `,
    note ? data(`${capital(note)}.`) : "No test gave up any of its gain.");
}
// Pairs of bars with logarithmic lengths; a row is a name, a total and a part of it.
function pairedBars(rows, label) {
  const width = roomFor(940), left = width < 500 ? 0 : Math.min(370, 24 + Math.max(...rows.map(([name]) => widthOf(name)))), wide = width - left - 64, step = left ? 34 : 46, top = left ? 2 : 14;
  const fitted = (text) => { const lines = wrapped(text, (left || width) - 24); return lines[0] + (lines.length > 1 ? " …" : ""); };
  const most = Math.max(10, ...rows.map((row) => row[1])), size = (n) => (wide * Math.log10(Math.max(1, n) + 0.2)) / Math.log10(most + 1);
  const svg = s("svg", { class: "chart", viewBox: `0 0 ${width} ${top + step * rows.length}`, width, role: "img", "aria-label": `${label}; the table below lists the numbers` });
  rows.forEach(([name, whole, part], k) => { const y = top + step * k;
    svg.append(s("text", { class: "small", x: 0, y: left ? y + 16 : y - 3 }, fitted(name)), ...[whole, part].flatMap((n, row) => [s("rect", { class: row ? "plain" : "whole", x: left, y: y + 13 * row, width: size(n), height: 13 }),
      s("text", { class: "small", x: left + 6 + size(n), y: y + 11 + 13 * row }, short(n))])); });
  return svg;
}
function barsLegend(whole, part) {
  const key = (kind, text) => h("li", {}, s("svg", { width: 12, height: 12, "aria-hidden": "true" }, s("rect", { class: kind, width: 12, height: 12 })), " ", text);
  return h("ul", { class: "legend" }, key("whole", whole), key("plain", part));
}
function savedParts(branches, hasPruned) {
  const known = branches.filter((i) => D.nodes[i].found[9]).slice(0, 24);
  const why = hasPruned ? "Where a test is not proved best, the search stopped early." : "Of equivalent predicates, only one was evaluated.";
  return [h("h2", {}, hasPruned ? "With and without pruning, by node" : "Evaluated predicates and the whole space"), h("p", { class: "note" }, `Logarithmic scale. The space is counted on the individuals of this report that reach each node. ${why}`),
    hasPruned ? barsLegend("without pruning: the whole space", "with pruning: evaluated") : barsLegend("the whole space", "evaluated"),
    pairedBars(known.map((i) => [D.nodes[i].words, D.nodes[i].found[9], D.nodes[i].found[5]]), "Predicates in the space and predicates evaluated, by node")];
}
function criteriaParts() {
  if (!D.criteria.length) return "";
  const counted = D.criteria.filter((one) => one.evaluated_exhaustive), about = (one, value, digits) => (value === null ? "–" : `${one.exhaustive_estimated ? "about " : ""}${number(value, digits)}`);
  return [h("h2", {}, "With and without pruning, by criterion"), h("p", { class: "note" }, "The search for the first test, repeated for this report. Times of long searches without pruning are estimated."),
    barsLegend("without pruning", "with pruning"), pairedBars(counted.map((one) => [one.criterion, one.evaluated_exhaustive, one.evaluated]), "Predicates evaluated by criterion"),
    table(["criterion", "best test", "evaluated", "without pruning", "seconds", "without pruning", "certainty"], D.criteria.map((one) => [one.criterion, h("code", { class: "data" }, one.test), number(one.evaluated), number(one.evaluated_exhaustive), number(one.seconds, 3), about(one, one.seconds_exhaustive, 3), one.proved ? "proved best" : "not proved best"]), [2, 3, 4, 5], "#By criterion", null, true)];
}
function traceParts(branches) {
  const traced = [...branches.map((i) => ({ name: `${D.nodes[i].words.slice(0, 80)} (n = ${number(D.nodes[i].n)})`, criterion: D.nodes[i].found[0], trace: D.nodes[i].trace || [] })),
    ...D.criteria.map((one) => ({ name: `the first test by ${one.criterion}`, ...one }))].filter((one) => one.trace.length > 1);
  if (!traced.length) return "";
  const holder = h("div", { class: "cells" }), pick = h("select", { id: "traced", onchange: () => show() }, traced.map((one, k) => h("option", { value: k }, one.name)));
  const names = ["best found", "bound on the remaining predicates"];
  const show = () => {
    const { name, criterion, trace } = traced[+pick.value], points = trace.filter(([n]) => n > 0);
    holder.replaceChildren(chart({ title: "Best score and bound by evaluated predicates", width: 620, height: 320, x: { name: "evaluated predicates", log: true }, y: { name: criterion },
      series: [2, 3].map((k) => ({ name: names[k - 2], points: points.map((point) => [point[0], point[k]]), steps: true })), summary: name }));
  };
  show();
  return [h("h2", {}, "Progress of the search"), h("div", { class: "toolbar" }, h("label", {}, "search ", pick)), legendOf(names.map((name) => ({ name }))), holder];
}

function learningPanel() {
  return [h("h2", {}, "Grammar"), h("pre", { class: "data", tabindex: 0, role: "region", "aria-label": "The grammar" }, D.grammar.join("\n") || "not recorded"), h("h2", {}, "Parameters"), table(["name", "value"], D.parameters, [], "#Parameters", null, true),
    h("p", { class: "note" }, `Made with structtree ${D.version}.`)];
}
function dataPanel() {
  const target = D.targets.length ? [h("h2", {}, "Target: ", data(D.target)), isClasses ? table(["class", "individuals", "share"], D.targets.map(([k, n]) => [k < 0 ? "unknown class" : className(k), number(n), `${number((100 * n) / (D.n || 1), 3)} %`]), [1, 2], "#The target", null, true)
    : table(["statistic", "value"], D.targets.map(([name, value]) => [name, number(value)]), [1], "#The target", null, true)] : [];
  const types = D.data.map((type) => [h("h2", {}, data(type.type), ` (${number(type.n)})`), type.members.length ? table(["name", "kind", "missing", "values", "in the tree"], type.members.map((member) => [...member.slice(0, 4), member[4] ? "yes" : ""]), [2], `#${type.type}`, null, true) : h("p", { class: "note" }, "no attributes and no links")]);
  return [h("p", { class: "note" }, "The data used for this report."), target, types];
}
