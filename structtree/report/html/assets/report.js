// The report: all content comes from the JSON block, and strings become text nodes, never markup.
const D = JSON.parse(document.getElementById("data").textContent);
const SVG = "http://www.w3.org/2000/svg";
const isClasses = D.classes.length > 0;

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value);
  }
  for (const child of children.flat(Infinity)) if (child !== null && child !== undefined && child !== "")
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  return element;
}
const h = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
const s = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);
const data = (text) => h("span", { class: "data" }, text);
const count = (n, one, many) => `${number(n)} ${n === 1 ? one : many}`;

function number(value, digits) {
  if (value === null || value === undefined) return "–";
  if (typeof value !== "number") return String(value);
  if (Number.isInteger(value)) return value.toLocaleString("en");
  if (Math.abs(value) < 1e-4) return value.toExponential(2);
  return value.toLocaleString("en", { maximumSignificantDigits: digits || 4 });
}

// ---- the tree: visible nodes and their layout

const parents = new Array(D.nodes.length).fill(-1);
const depths = new Array(D.nodes.length).fill(0);
D.nodes.forEach((node, i) => (node.kids || []).forEach((kid) => { parents[kid] = i; depths[kid] = depths[i] + 1; }));
// On a change of the window, fit is repeated; it is null after the user has changed the view.
// A tree that is legible as a picture is drawn as one, any other as a list; view is "picture" or "list" if the user chose.
const state = { open: new Set(), chosen: 0, zoom: 1, words: true, found: null, path: new Set(), view: null, listed: false, narrow: false, compact: false, room: 230, unfolded: -Infinity, fit: null };
const openTo = (depth) => { state.open = new Set(D.nodes.map((_, i) => i).filter((i) => D.nodes[i].kids && depths[i] < depth)); };
const leafCount = D.nodes.filter((node) => !node.kids).length, deepest = Math.max(...depths);
// Larger trees open with their top levels; more visible boxes than the second number have one line and no thumbnail.
const MANY_LEAVES = 60, MANY_ENDS = 20, FEW_ENDS = 8, LEGIBLE = 0.7, LARGEST = 1.25, ROOMS = [230, 180, 140, 110];

const kidsOf = (i) => (state.open.has(i) ? D.nodes[i].kids : []);
function shownNodes() {
  const found = [], stack = [0];
  while (stack.length) {
    const i = stack.pop();
    found.push(i);
    stack.push(...[...kidsOf(i)].reverse());
  }
  return found;
}

const pen = document.createElement("canvas").getContext("2d");
function widthOf(text, bold) {
  pen.font = `${bold ? "700 " : ""}12px system-ui, "DejaVu Sans", Verdana, sans-serif`;
  return pen.measureText(text).width;
}
function wrapped(text, width, bold) {
  const lines = [""];
  for (const word of text.split(" ")) {
    let piece = "";
    const pieces = [];
    for (const char of word) {
      if (piece && widthOf(piece + char, bold) > width) { pieces.push(piece); piece = ""; }
      piece += char;
    }
    pieces.push(piece);
    for (const part of pieces) {
      const longer = lines.at(-1) ? `${lines.at(-1)} ${part}` : part;
      if (!lines.at(-1) || widthOf(longer, bold) <= width) lines[lines.length - 1] = longer;
      else lines.push(part);
    }
  }
  return lines;
}

const THUMB = { width: 104, height: 62 };
// The drawing of a typical individual of a leaf, if it can be recognised in a small picture.
function thumbOf(i) {
  if (!D.has_structure || state.compact) return null;
  const ids = Object.values(D.nodes[i].examples || {}).flat(), one = ids.map((id) => D.examples[id]).find((each) => each.drawing);
  if (!one) return null;
  const [width, height] = one.drawing.size;
  return width / height < 6 && height / width < 4 ? one : null;
}
function card(i) {
  const node = D.nodes[i], folded = node.kids && !state.open.has(i), isEnd = !node.kids, thumb = isEnd ? thumbOf(i) : null;
  const room = state.narrow ? Math.max(150, stage.clientWidth - 16 * depths[i] - 40) - (thumb ? THUMB.width : 0) : state.room;
  const below = folded ? count(leavesBelow(i), "leaf", "leaves") : "";
  if (state.listed) return rowCard(i, { folded, isEnd, thumb });
  if (state.compact && (isEnd || folded)) {
    const line = isEnd ? `${node.says}  ${node.share}` : `${node.says}, ${below} folded`, head = [line.length > 60 ? `${line.slice(0, 59)}…` : line];
    return { head, small: "", width: widthOf(head[0], isEnd) + 18, height: 24, folded, isEnd, thumb, isLine: true };
  }
  const head = wrapped(isEnd ? node.says : state.words ? node.words : node.test, room, isEnd);
  const small = isEnd ? node.share : folded ? `${node.says}, ${below} folded` : `n = ${number(node.n)}`;
  const width = Math.max(70, ...head.map((line) => widthOf(line, isEnd)), widthOf(small)) + 18, height = head.length * 15 + 39;
  return { head, small, own: width, width: width + (thumb ? THUMB.width : 0), height: Math.max(height, thumb ? THUMB.height + 6 : 0), folded, isEnd, thumb };
}
// In a list, a node is one box as wide as the window: its text on the left, its distribution and numbers on the right.
const ROW = { indent: 20, bar: 90, thumb: { width: 76, height: 44 } };
const labelRoom = () => Math.max(...D.nodes.flatMap((node) => (node.ways || []).map((way) => widthOf(way)))) + 12;
const rowLeft = (i) => 10 + ROW.indent * depths[i] + (i ? labelRoom() : 0);
function rowCard(i, look) {
  const node = D.nodes[i], small = look.isEnd ? node.share : look.folded ? count(leavesBelow(i), "leaf", "leaves") : `n = ${number(node.n)}`;
  const width = Math.max(300, stage.clientWidth - 12 - rowLeft(i)), side = ROW.bar + 100 + (look.thumb ? ROW.thumb.width : 0);
  const head = wrapped(look.isEnd ? node.says : state.words ? node.words : node.test, width - side - 20, look.isEnd);
  return { head, small, width, height: Math.max(look.thumb ? ROW.thumb.height + 6 : 0, head.length * 15 + 9), isRow: true, ...look };
}
function leavesBelow(i) {
  let n = 0;
  const stack = [i];
  while (stack.length) { const kids = D.nodes[stack.pop()].kids; if (kids) stack.push(...kids); else n += 1; }
  return n;
}

// The tidy layout of the pictures, growing to the right: levels are columns, contours keep subtrees apart.
function layout(nodes, cards, gap) {
  const shifts = new Map(), contours = new Map();
  for (const i of [...nodes].reverse()) {
    const half = cards.get(i).height / 2, kids = kidsOf(i), places = [];
    let right = [];
    for (const kid of kids) {
      const contour = contours.get(kid);
      let place = 0;
      for (let level = 0; level < Math.min(right.length, contour.length); level++)
        place = level === 0 && places.length === 0 ? 0 : Math.max(place, right[level] + gap - contour[level][0]);
      places.push(place);
      const mine = contour.map((ends) => place + ends[1]);
      right = mine.concat(right.slice(mine.length));
    }
    const middle = places.length ? (places[0] + places.at(-1)) / 2 : 0;
    const contour = [[-half, half]];
    kids.forEach((kid, k) => {
      shifts.set(kid, places[k] - middle);
      contours.get(kid).forEach((ends, level) => {
        const at = places[k] - middle, known = contour[level + 1];
        contour[level + 1] = known ? [Math.min(known[0], at + ends[0]), Math.max(known[1], at + ends[1])] : [at + ends[0], at + ends[1]];
      });
      contours.delete(kid);
    });
    contours.set(i, contour);
  }
  const ys = new Map([[0, 0]]), columns = [];
  for (const i of nodes) {
    columns[depths[i]] = Math.max(columns[depths[i]] || 0, cards.get(i).width);
    for (const kid of kidsOf(i)) ys.set(kid, ys.get(i) + shifts.get(kid));
  }
  const xs = [10];
  const labels = Math.max(30, ...nodes.flatMap((i) => (kidsOf(i).length ? D.nodes[i].ways.map((way) => widthOf(way)) : [])));
  columns.forEach((width) => xs.push(xs.at(-1) + width + 26 + labels));
  const least = Math.min(...nodes.map((i) => ys.get(i) - cards.get(i).height / 2));
  return new Map(nodes.map((i) => [i, { x: xs[depths[i]], y: ys.get(i) - least + 10 }]));
}

// In a narrow window, nodes are listed below each other, indented by depth, with the branch label above each.
const isNarrow = () => stage.clientWidth > 0 && stage.clientWidth < 560;
function outline(nodes, cards) {
  let top = 10;
  if (state.listed) return new Map(nodes.map((i) => {
    const spot = { x: rowLeft(i), y: top + cards.get(i).height / 2 };
    top += cards.get(i).height + 4;
    return [i, spot];
  }));
  return new Map(nodes.map((i) => {
    const own = cards.get(i), y = top + (i ? 16 : 0) + own.height / 2;
    top = y + own.height / 2 + 4;
    return [i, { x: 10 + 16 * depths[i], y }];
  }));
}
function edgeParts(i, kid, k, spots, cards) {
  const from = spots.get(i), own = cards.get(i), to = spots.get(kid), isPath = state.path.has(kid) ? " path" : "";
  const way = D.nodes[i].ways[k], share = D.nodes[kid].n / (D.nodes[0].n || 1);
  if (state.listed) {
    const left = to.x - labelRoom();
    return [s("path", { class: `edge${isPath}`, d: `M${left - ROW.indent / 2},${from.y + own.height / 2} V${to.y} H${left}`, "stroke-width": 1 + 4 * share }),
      s("text", { class: "small", x: left + 4, y: to.y + 4 }, way)];
  }
  if (state.narrow) {
    const top = to.y - cards.get(kid).height / 2;
    return [s("path", { class: `edge${isPath}`, d: `M${from.x + 6},${from.y + own.height / 2} V${to.y} H${to.x}`, "stroke-width": 1 + 4 * share }),
      s("text", { class: "small", x: to.x + 2, y: top - 4 }, way)];
  }
  const x1 = from.x + own.width, middle = (x1 + to.x) / 2;
  return [s("path", { class: `edge${isPath}`, d: `M${x1},${from.y} C${middle},${from.y} ${middle},${to.y} ${to.x},${to.y}`, "stroke-width": 1 + 11 * share }),
    s("text", { class: "small", x: to.x - 6, y: to.y - 6, "text-anchor": "end" }, way)];
}

function distribution(i, x, y, width) {
  const node = D.nodes[i], group = s("g");
  if (node.counts) {
    const whole = node.counts.reduce((a, b) => a + b, 0) || 1;
    let at = x;
    node.counts.forEach((n, k) => {
      if (!n) return;
      group.append(s("rect", { x: at, y, width: (width * n) / whole, height: 8, fill: D.colours[k] }));
      at += (width * n) / whole;
    });
    return group;
  }
  group.append(s("line", { class: "axis", x1: x, x2: x + width, y1: y + 8, y2: y + 8 }));
  const bins = node.bins || [];
  const most = Math.max(1, ...bins);
  bins.forEach((n, k) => n && group.append(s("rect", {
    class: "plain", x: x + (k * width) / bins.length, width: Math.max(0.8, width / bins.length - 0.7),
    y: y + 8 - (11 * n) / most, height: (11 * n) / most })));
  return group;
}

const stage = h("div", { class: "stage", id: "stage" });
const levels = h("p", { class: "note", id: "levels", "aria-live": "polite" });
// The visible nodes, their boxes and positions, and the size of the picture.
function arranged() {
  state.narrow = isNarrow();
  state.listed = state.listed && !state.narrow;
  const nodes = shownNodes();
  state.compact = !state.narrow && nodes.filter((i) => !kidsOf(i).length).length > MANY_ENDS;
  const cards = new Map(nodes.map((i) => [i, card(i)])), spots = state.narrow || state.listed ? outline(nodes, cards) : layout(nodes, cards, state.compact ? 5 : 9);
  const width = Math.max(...nodes.map((i) => spots.get(i).x + cards.get(i).width)) + 12;
  const height = Math.max(...nodes.map((i) => spots.get(i).y + cards.get(i).height / 2)) + 12;
  return { nodes, cards, spots, width, height };
}
function drawTree(focus) {
  const { nodes, cards, spots, width, height } = arranged();
  const root = s("svg", { width: width * state.zoom, height: height * state.zoom, viewBox: `0 0 ${width} ${height}`,
    role: "tree", "aria-label": "Tree; use the arrow keys to move and Enter to fold" });
  const edges = s("g", { "aria-hidden": "true" }), boxes = s("g", { role: "presentation" });
  for (const i of nodes) kidsOf(i).forEach((kid, k) => edges.append(...edgeParts(i, kid, k, spots, cards)));
  for (const i of nodes) boxes.append(nodeBox(i, spots.get(i), cards.get(i)));
  root.append(edges, boxes);
  stage.replaceChildren(root);
  listButton.hidden = state.narrow;
  listButton.setAttribute("aria-pressed", String(state.listed));
  const hidden = leafCount - nodes.filter((i) => !D.nodes[i].kids).length;
  levels.textContent = hidden ? `${number(leafCount - hidden)} of ${count(leafCount, "leaf", "leaves")} shown, ${number(Math.max(...nodes.map((i) => depths[i])))} of ${count(deepest, "level", "levels")}; click a dashed box to unfold it.` : "";
  if (focus) {
    const element = root.querySelector(`[data-node="${state.chosen}"]`);
    if (element) { element.focus({ preventScroll: true }); bring(spots.get(state.chosen)); }
  }
}
const listButton = h("button", { id: "list", title: "Show the tree as a list or as a picture", onclick: () => { state.view = state.listed ? "picture" : "list"; fitLegibly(); } }, "List");
// The zoom at which the visible tree fills the window; a list only has to fit its width.
function fittingZoom({ width, height }) {
  const room = parseFloat(getComputedStyle(stage).maxHeight) - 2;
  const zoom = Math.min(LARGEST, stage.clientWidth / width, state.narrow || state.listed ? 1 : room / height);
  return zoom > 0 ? zoom : 1; // a frame may have no size yet
}
// Narrower boxes have more lines, so that a deep tree can be shown larger.
function fitTree() {
  stage.replaceChildren(); // without scroll bars
  state.listed = false;
  const zooms = ROOMS.map((room) => { state.room = room; return fittingZoom(arranged()); });
  state.room = ROOMS[zooms.findIndex((zoom) => zoom >= 0.97 * Math.max(...zooms))];
  state.listed = state.view === "list" || (state.view === null && Math.max(...zooms) < LEGIBLE);
  state.zoom = fittingZoom(arranged());
  drawTree(false);
  stage.scrollTo({ left: 0, top: 0 });
  state.fit = fitTree;
}
// Opens branches, large ones near the root first, until a number of leaves and folded boxes is visible.
function openLargest(ends) {
  const waiting = [0];
  for (state.open = new Set(); ends > 1 && waiting.length; ) {
    waiting.sort((a, b) => D.nodes[a].n / (depths[a] + 1) - D.nodes[b].n / (depths[b] + 1));
    const i = waiting.pop();
    state.open.add(i);
    ends -= D.nodes[i].kids.length - 1;
    waiting.push(...D.nodes[i].kids.filter((kid) => D.nodes[kid].kids));
  }
}
// Opens all levels of a tree; of a large one, as many levels as are legible when they fill the window, or the largest
// branches in a list if these are few, as many as the window has room for.
function openFitted() {
  openTo(Infinity);
  if (leafCount > MANY_LEAVES) {
    let depth = 2;
    state.room = ROOMS[0];
    state.listed = false;
    for (openTo(depth + 1); depth + 1 < deepest && (!isNarrow() && fittingZoom(arranged()) >= LEGIBLE); openTo(depth + 1)) depth += 1;
    openTo(depth);
    if (shownNodes().filter((i) => !kidsOf(i).length).length < FEW_ENDS) {
      state.listed = !isNarrow();
      let ends = MANY_ENDS;
      for (openLargest(ends); ends > 4 && arranged().height > parseFloat(getComputedStyle(stage).maxHeight) - 2; openLargest(ends)) ends -= 1;
    }
  }
  fitTree();
  state.fit = openFitted;
}
function bring(spot) {
  stage.scrollTo({ left: Math.max(0, spot.x * state.zoom - 60), top: Math.max(0, spot.y * state.zoom - stage.clientHeight / 2) });
}
// A printed report also has the tree as a list, since a picture of many nodes is too small on paper.
const listed = h("div", { class: "printed listed" });
function listTree() {
  const item = (i) => { const node = D.nodes[i], way = i ? `${D.nodes[parents[i]].ways[D.nodes[parents[i]].kids.indexOf(i)]}: ` : "";
    return h("li", {}, way, node.kids ? [data(node.words), ` (n = ${number(node.n)})`, h("ul", {}, node.kids.map(item))] : [h("strong", {}, data(node.says)), " ", data(node.share)]); };
  listed.replaceChildren(h("ul", {}, item(0)));
}
// Fits the tree into view if that is legible; otherwise shows its root.
function fitLegibly() {
  fitTree();
  if (state.zoom >= LEGIBLE || leafCount <= MANY_LEAVES) return;
  state.zoom = LEGIBLE;
  state.fit = null;
  drawTree(false);
  showRoot();
}
function showRoot() {
  const root = stage.querySelector('[data-node="0"] rect.card');
  bring({ x: 0, y: +root.getAttribute("y") + root.getAttribute("height") / 2 });
}
function classStripe(node, x, y, height) {
  const k = node.counts.indexOf(Math.max(...node.counts)), said = D.classes.findIndex((name) => node.says === name || node.says === `class ${name}`);
  return s("rect", { x, y, width: 5, height, rx: 2, fill: D.colours[said < 0 ? k : said] });
}
function nodeBox(i, spot, own) {
  const node = D.nodes[i], top = spot.y - own.height / 2;
  const kinds = ["node", own.isEnd ? "leaf" : "branch"];
  if (i === state.chosen) kinds.push("chosen");
  if (state.path.has(i)) kinds.push("path");
  if (state.found && !state.found.has(i)) kinds.push("dim");
  const way = i ? `${D.nodes[parents[i]].ways[D.nodes[parents[i]].kids.indexOf(i)]}: ` : "";
  const label = `${way}${own.isEnd ? "leaf, " : ""}${own.head.join(" ")} ${own.small}`;
  const group = s("g", { class: kinds.join(" "), "data-node": i, role: "treeitem", tabindex: i === state.chosen ? 0 : -1,
    "aria-label": label, "aria-level": depths[i] + 1, "aria-selected": i === state.chosen ? "true" : "false",
    "aria-expanded": node.kids ? String(state.open.has(i)) : null,
    onclick: () => press(i), ondblclick: () => { if (performance.now() - state.unfolded > 600) fold(i); }, onkeydown: (event) => keys(event, i) });
  const look = { class: "card", x: spot.x, y: top, width: own.width, height: own.height, rx: 6 };
  if (own.folded) look["stroke-dasharray"] = "4 3";
  group.append(s("rect", look));
  if (own.isRow) {
    const right = spot.x + own.width, side = right - 92 - ROW.bar;
    if (own.thumb) group.append(fill(thumbnail(own.thumb, ROW.thumb.width, ROW.thumb.height), { x: side - ROW.thumb.width - 8, y: top + 3 }, []));
    if (own.isEnd && isClasses) group.append(classStripe(node, spot.x, top, own.height));
    own.head.forEach((line, k) => group.append(s("text", { x: spot.x + 12, y: spot.y + 4 + 15 * (k - (own.head.length - 1) / 2), class: own.isEnd ? "strong" : null }, line), " "));
    group.append(distribution(i, side, spot.y - 4, ROW.bar), s("text", { class: "small", x: right - 84, y: spot.y + 4 }, own.small));
    return group;
  }
  if (own.isLine) {
    group.append(s("text", { x: spot.x + 10, y: top + 16, class: own.isEnd ? "strong" : null }, own.head[0]));
    if (own.isEnd && isClasses) group.append(classStripe(node, spot.x, top, own.height));
    return group;
  }
  if (own.thumb) {
    group.append(fill(thumbnail(own.thumb, THUMB.width, own.height - 6), { x: spot.x + own.own - 4, y: top + 3 }, []));
  }
  if (own.isEnd && isClasses) group.append(classStripe(node, spot.x, top, own.height));
  // The spaces separate the lines for screen readers.
  own.head.forEach((line, k) => group.append(s("text", { x: spot.x + 10, y: top + 17 + 15 * k, class: own.isEnd ? "strong" : null }, line), " "));
  group.append(distribution(i, spot.x + 10, top + own.head.length * 15 + 8, (own.own || own.width) - 20));
  group.append(s("text", { class: "small", x: spot.x + 10, y: top + own.head.length * 15 + 31 }, own.small));
  return group;
}
function fold(i) {
  if (!D.nodes[i].kids) return;
  state.fit = null;
  if (state.open.has(i)) state.open.delete(i); else state.open.add(i);
  state.chosen = i;
  drawTree(true);
}
// A click selects a node, and unfolds it if it is folded.
function press(i) {
  if (D.nodes[i].kids && !state.open.has(i)) { state.open.add(i); state.fit = null; state.unfolded = performance.now(); }
  choose(i);
}
function choose(i, quiet) {
  state.chosen = i;
  if (!state.path.has(i)) state.path = new Set();
  for (let up = parents[i]; up >= 0; up = parents[up]) if (!state.open.has(up)) { state.open.add(up); state.fit = null; }
  drawTree(!quiet);
  showDetail(i);
}
function keys(event, i) {
  const order = shownNodes(), at = order.indexOf(i), kids = D.nodes[i].kids;
  const moves = {
    ArrowDown: () => order[at + 1], ArrowUp: () => order[at - 1], Home: () => 0, End: () => order.at(-1),
    ArrowLeft: () => (state.open.has(i) && kids ? (fold(i), undefined) : parents[i]),
    ArrowRight: () => (kids && !state.open.has(i) ? (fold(i), undefined) : kids && kids[0]),
  };
  if (event.key === "Enter" || event.key === " ") { event.preventDefault(); fold(i); showDetail(i); return; }
  if (!(event.key in moves)) return;
  event.preventDefault();
  const next = moves[event.key]();
  if (next !== undefined && next >= 0) choose(next);
}

// ---- one node

const detail = h("div", { class: "detail", id: "detail", "aria-live": "polite", tabindex: 0, role: "region", "aria-label": "Selected node" });
function showDetail(i) {
  const node = D.nodes[i], parts = [];
  const trail = [];
  for (let below = i, up = parents[i]; up >= 0; below = up, up = parents[up])
    trail.unshift(h("li", {}, h("button", { class: "step", onclick: () => choose(up) }, data(D.nodes[up].words)), " ", h("strong", {}, data(D.nodes[up].ways[D.nodes[up].kids.indexOf(below)]))));
  if (node.kids) {
    parts.push(h("h2", {}, data(node.words)), h("p", {}, h("code", { class: "data" }, node.test)));
    parts.push(h("p", {}, h("button", { onclick: () => fold(i) }, state.open.has(i) ? "Fold" : "Unfold"), " ",
      h("span", { class: "note" }, `${count(leavesBelow(i), "leaf", "leaves")} below`)));
  } else parts.push(h("h2", {}, "Leaf: ", data(node.says)), h("p", { class: "note" }, data(node.share), " of the training data"));
  if (trail.length) parts.push(h("h3", {}, "Path"), h("ol", {}, trail));
  parts.push(h("h3", {}, "Training data"), seenTable(node));
  if (node.kids) parts.push(h("h3", {}, "How the test was found"), effortTable(i));
  const names = { typical: "Typical individuals", borderline: "Near a threshold", wrong: isClasses ? "Misclassified" : "Largest errors" };
  for (const [kind, rows] of Object.entries(node.examples || {}))
    parts.push(h("h3", {}, `${names[kind]} (${rows.length})`), rows.map((row) => exampleBox(D.examples[row])));
  detail.replaceChildren(...parts.flat(Infinity));
}
function seenTable(node) {
  if (!node.counts) return h("div", {}, h("p", {}, `n = ${number(node.n)}, mean ${number(node.mean)}${node.sd === undefined ? "" : `, standard deviation ${number(node.sd)}`}`),
    node.bins ? histogram(node.bins) : "");
  const whole = node.counts.reduce((a, b) => a + b, 0) || 1;
  const rows = node.counts.map((n, k) => [n, k]).filter(([n]) => n).sort((a, b) => b[0] - a[0]);
  return table(["class", whole === node.n ? "individuals" : "weight", "share"], rows.map(([n, k]) => [className(k), number(n), `${number((100 * n) / whole, 3)} %`]), [1, 2]);
}
const className = (k) => h("span", {}, h("span", { class: "swatch", style: `background:${D.colours[k]}` }), data(D.classes[k]));
function histogram(bins) {
  const most = Math.max(1, ...bins), [low, high] = D.range;
  const svg = s("svg", { viewBox: "0 0 300 92", width: 300, height: 92, role: "img", "aria-label": "Histogram of the target" });
  bins.forEach((n, k) => svg.append(s("rect", { class: "plain", x: (k * 300) / bins.length, width: 300 / bins.length - 1, y: 70 - (66 * n) / most, height: (66 * n) / most })));
  svg.append(s("line", { class: "axis", x1: 0, x2: 300, y1: 70.5, y2: 70.5 }), s("text", { class: "small", x: 0, y: 86 }, number(low)),
    s("text", { class: "small", x: 300, y: 86, "text-anchor": "end" }, number(high)));
  return svg;
}
// The cost of a test and what it gives up; empty for a tree that was learned without a cost tolerance.
const costOf = (i) => (D.test_costs ? D.test_costs.tests[i] || [null, null] : [null, null]);
const shareText = (share) => `${number(100 * share, 2)} %`;
function costRows(i) {
  const [cost, better] = costOf(i);
  if (cost === null) return [];
  if (!better) return [["cost", number(cost)]];
  const [words, text, dearer, lost] = better;
  return [["cost", `${number(cost)} instead of ${number(dearer)}`], ["gives up", h("div", {}, `${shareText(lost)} of the gain of the better, but dearer test: `, words ? [data(words), " "] : "", h("code", { class: "data" }, text))]];
}
function effortTable(i) {
  const [criterion, score, gain, , , evaluated, seconds, , pruned, space] = D.nodes[i].found, known = (name, value) => (value === null || value === undefined ? [] : [[name, number(value)]]);
  return table(null, [["criterion", data(criterion)], ["score", number(score)], ["gain", number(gain)], ...known("tests in the space", space), ["tests evaluated", number(evaluated)], ...known("pruned", pruned),
    ...(seconds ? [["seconds", number(seconds, 3)]] : []), ...costRows(i), ["certainty", certainty(i)]], [], "#How the test was found", null, true);
}
// A table; with rowHeads, the first cell of each row is its header. A caption that begins with # is not shown.
function table(heads, rows, numeric, caption, marked, rowHeads) {
  const right = new Set(numeric || []);
  const cell = (tag, value, k, scope) => h(tag, { class: right.has(k) ? "number" : null, scope }, value instanceof Node ? value : data(value));
  const first = (k) => (rowHeads && k === 0 ? ["th", "row"] : ["td", null]);
  const name = (caption || "Table").replace("#", ""), isLong = rows.some(([one]) => one instanceof HTMLButtonElement || one instanceof HTMLDivElement);
  const kind = [isLong ? "long" : "", heads && heads.length > 9 ? "dense" : ""].join(" ").trim();
  const shown = h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": name }, h("table", { class: kind || null },
    heads ? h("thead", {}, h("tr", {}, heads.map((head, k) => (head === "" ? h("td", {}) : cell("th", head, k, "col"))))) : "",
    h("tbody", {}, rows.map((row, r) => h("tr", { class: marked && marked.has(r) ? "marked" : null }, row.map((value, k) => cell(first(k)[0], value, k, first(k)[1])))))));
  return caption && !caption.startsWith("#") ? h("div", {}, h("p", { class: "caption" }, caption), shown) : shown;
}

// ---- individuals

const nameOf = (one) => `${D.individual} ${one.row}${one.names.length ? ` (${one.names.map((name) => name.join(" ")).join(", ")})` : ""}`;
function exampleBox(one) {
  const thumb = D.has_structure && one.drawing ? h("span", { class: "thumb" }, thumbnail(one, 120, 72)) : "";
  const summary = h("summary", { title: thumb ? nameOf(one) : null }, thumb, data(thumb ? `${D.individual} ${one.row}` : nameOf(one)), one.actual === undefined ? "" : h("span", { class: one.wrong ? "wrong" : "note" },
    isClasses && !one.wrong ? ` true label: ${one.actual}` : ` true ${isClasses ? "label" : "value"}: ${one.actual}, predicted: ${one.said}`));
  return unfolding(h("details", { class: "example" }, summary), () => exampleParts(one));
}
// Fills a box when it is opened by a click, a key, or the browser's search.
function unfolding(box, make) {
  const unfold = () => { if (box.children.length === 1) box.append(...make()); };
  box.firstChild.addEventListener("click", unfold);
  box.addEventListener("toggle", unfold);
  return box;
}
function exampleParts(one) {
  const witness = Object.keys(one.marks || {}).at(-1), holder = h("div", {});
  const show = (node) => holder.replaceChildren(picture(one, (one.marks || {})[node]));
  show(witness);
  const steps = one.why.map(([node, answer, lines]) => h("li", {}, data(D.nodes[node].words), ": ", h("strong", {}, data(answer)),
    (one.marks || {})[node] ? [" ", h("button", { onclick: () => show(node) }, "Highlight")] : "",
    lines.map((line) => h("div", { class: "note data" }, line))));
  const name = D.has_structure && one.drawing && one.names.length ? h("p", { class: "note data" }, one.names[0][1]) : "";
  return [holder, name, h("ol", {}, steps), h("p", {}, "→ ", data(one.said), " ", h("button", { onclick: () => { selectTab("tree"); follow(one.leaf); } }, "Show its path"))];
}
function picture(one, marks) {
  if (one.drawing) return h("div", {}, h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": nameOf(one) }, drawing(one, marks || [[], [], [], ""])),
    marks ? legend(marks) : "");
  const own = Object.entries(one.values || {}).slice(0, 12);
  return h("div", {}, own.length ? table(null, own.map(([name, value]) => [name, plain(value)])) : "");
}
const plain = (value) => (value === null ? "missing" : value === true ? "yes" : value === false ? "no" : typeof value === "number" ? number(value, 6) : value);
const ROLES = [["on", "counted by the test"], ["support", "supports a counted one"], ["near", "nearest to satisfying the test"]];
function legend(marks) {
  const shown = ROLES.filter((_, place) => marks[place].length);
  return h("p", { class: "note legend" }, shown.map(([role, words]) => h("span", {}, h("span", { class: `swatch ${role}` }), words)), marks[3] ? h("span", {}, marks[3]) : "");
}
// A drawing in the given size, without highlights; the text beside it says what it shows.
function thumbnail(one, width, height) {
  const [wide, high] = one.drawing.size, svg = drawing(one, [[], [], [], ""]);
  for (const name of ["role", "aria-label"]) svg.removeAttribute(name);
  return fill(svg, { width, height, viewBox: `0 0 ${wide} ${high}`, "aria-hidden": "true" }, []);
}
function drawing(one, marks) {
  const [width, height] = one.drawing.size, roles = new Map();
  ROLES.forEach(([role], place) => marks[place].forEach((element) => roles.set(element, role)));
  const highlighted = ROLES.filter((_, place) => marks[place].length).map(([, words]) => words).join(", ");
  const svg = s("svg", { class: "drawing", role: "img", width, height, viewBox: `0 0 ${width} ${height}`,
    "aria-label": `${nameOf(one)}${highlighted ? `; highlighted: ${highlighted}` : ""}` });
  for (const [element, kind, ...look] of one.drawing.pieces) {
    const role = roles.get(element);
    if (element >= 0 && !role) continue;
    const shape = piece(kind, look, role);
    if (role) shape.setAttribute("class", role);
    svg.append(shape);
  }
  return svg;
}
const paint = (role) => (role === "none" || role[0] === "#" ? role : `var(--${role})`);
// Draws a shape; a supporting one is outlined and a near one dashed, as in Drawing.items.
function piece(kind, look, role) {
  const near = role === "near", supports = role === "support";
  if (kind === "t") {
    const [x, y, text, size, colour, anchor, bold] = look;
    return s("text", { x, y, style: `fill:${paint(colour)};font-size:${size}px;font-weight:${bold ? 700 : 400};text-anchor:${["start", "middle", "end"][anchor]}` }, text);
  }
  if (kind === "s") {
    const [x1, y1, x2, y2, width, colour, dashed] = look;
    return s("line", { x1, y1, x2, y2, stroke: paint(near ? "rim" : supports ? "support-pale" : colour), "stroke-width": near ? Math.min(width, 1.6) : width,
      "stroke-linecap": dashed || near ? null : "round", "stroke-dasharray": dashed || near ? "4 3" : null });
  }
  const [x, y, width, height, rx, line, fill, edge, dashed] = look;
  return s("rect", { x, y, width, height, rx, fill: paint(near ? "paper" : supports ? "support-pale" : fill),
    stroke: line ? paint(near ? "rim" : supports ? "support" : edge) : null, "stroke-width": line || null, "stroke-dasharray": dashed || near ? "4 3" : null });
}
function follow(leaf) {
  state.path = new Set([leaf]);
  for (let up = parents[leaf]; up >= 0; up = parents[up]) state.path.add(up);
  choose(leaf);
}

// ---- tabs

const panels = {};
function built(one) {
  if (one.make) { one.panel.append(...fill(h("div"), {}, [one.make()]).childNodes); one.make = null; }
}
function selectTab(id, focus) {
  built(panels[id]);
  for (const [name, { tab, panel }] of Object.entries(panels)) {
    tab.setAttribute("aria-selected", String(name === id));
    tab.tabIndex = name === id ? 0 : -1;
    panel.hidden = name !== id;
  }
  if (focus) panels[id].tab.focus();
  if (id === "tree") drawTree(false);
}
function addTab(id, name, make) {
  const tab = h("button", { role: "tab", id: `tab-${id}`, "aria-controls": `panel-${id}`, onclick: () => selectTab(id),
    onkeydown: (event) => {
      const ids = Object.keys(panels), at = ids.indexOf(id);
      const next = { ArrowRight: ids[(at + 1) % ids.length], ArrowLeft: ids[(at + ids.length - 1) % ids.length], Home: ids[0], End: ids.at(-1) }[event.key];
      if (next) { event.preventDefault(); selectTab(next, true); }
    } }, name);
  const panel = h("section", { role: "tabpanel", id: `panel-${id}`, "aria-labelledby": `tab-${id}`, tabindex: 0, hidden: "" }, h("h2", { class: "printed" }, name));
  panels[id] = { tab, panel, make };
}

// ---- the panels

function treePanel() {
  const output = h("output", { "aria-live": "polite" });
  let hits = [], at = -1;
  const search = h("input", { type: "search", id: "search", placeholder: "Search tests and answers", "aria-label": "Search the tree",
    oninput: () => {
      const wanted = search.value.trim().toLowerCase();
      hits = wanted ? D.nodes.map((_, i) => i).filter((i) => [D.nodes[i].test, D.nodes[i].words, D.nodes[i].says].some((text) => text && text.toLowerCase().includes(wanted) && !(text === D.nodes[i].says && D.nodes[i].kids))) : [];
      at = -1;
      state.found = wanted ? new Set(hits) : null;
      for (const hit of hits.slice(0, 200)) for (let up = parents[hit]; up >= 0; up = parents[up]) state.open.add(up);
      output.value = wanted ? `${count(hits.length, "node", "nodes")} found` : "";
      drawTree(false);
    },
    onkeydown: (event) => {
      if (event.key === "Escape") { search.value = ""; search.dispatchEvent(new Event("input")); }
      if (event.key !== "Enter" || !hits.length) return;
      at = (at + 1) % hits.length;
      choose(hits[at], true);
      const spot = stage.querySelector(`[data-node="${hits[at]}"] rect.card`);
      if (spot) bring({ x: +spot.getAttribute("x"), y: +spot.getAttribute("y") });
      output.value = `${at + 1} of ${hits.length}`;
    } });
  const zoom = (factor) => { state.zoom = Math.min(3, Math.max(0.05, state.zoom * factor)); state.fit = null; drawTree(false); };
  const button = (name, label, action) => h("button", { onclick: action, "aria-label": label, title: label }, name);
  const words = h("button", { id: "words", "aria-pressed": "true", onclick: () => { state.words = !state.words; words.setAttribute("aria-pressed", String(state.words)); drawTree(false); } }, "Words");
  const depth = h("select", { "aria-label": "Unfold to a depth", onchange: () => { if (depth.value === "fit") openFitted(); else openTo(depth.value === "all" ? Infinity : +depth.value); state.chosen = 0; fitLegibly(); } },
    leafCount > MANY_LEAVES ? h("option", { value: "fit" }, "top levels") : "", h("option", { value: "all" }, "all levels"), [1, 2, 3, 4, 6, 8].map((d) => h("option", { value: d }, `${d} level${d > 1 ? "s" : ""}`)));
  stage.addEventListener("wheel", (event) => { if (event.ctrlKey) { event.preventDefault(); zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15); } }, { passive: false });
  const legend = isClasses ? h("ul", { class: "legend", "aria-label": "Classes" }, D.classes.map((_, k) => h("li", {}, className(k)))) : "";
  return [h("div", { class: "toolbar" }, search, output, depth, words, button("−", "Zoom out", () => zoom(1 / 1.25)), button("+", "Zoom in", () => zoom(1.25)), button("Fit", "Fit the tree into view", () => { state.view = "picture"; fitTree(); }), listButton),
    levels, legend, h("div", { class: "columns" }, stage, detail), listed];
}

function whatIfPanel() {
  const examples = Object.values(D.examples), answer = h("div", { id: "answer", "aria-live": "polite" }), fields = h("div", { class: "fields" }), holder = h("div", {});
  const select = h("select", { id: "pick", onchange: () => pick(examples[+select.value]) },
    examples.map((one, k) => h("option", { value: k }, nameOf(one).slice(0, 90))));
  const values = [];
  let parts = "";
  const say = (leaf, changed, one) => {
    const steps = [];
    for (let below = leaf, up = parents[leaf]; up >= 0; below = up, up = parents[up])
      steps.unshift(h("li", {}, data(D.nodes[up].words), ": ", h("strong", {}, data(D.nodes[up].ways[D.nodes[up].kids.indexOf(below)]))));
    const isShown = !changed && holder.children.length; // the explanation lists the same steps
    const truth = one.actual === undefined || changed ? "" : h("span", { class: one.wrong ? "wrong" : "note" }, `; true ${isClasses ? "label" : "value"}: `, data(one.actual));
    answer.replaceChildren(h("p", { class: "says" }, changed ? "With these values: " : "Prediction: ", h("strong", { id: "said" }, data(D.nodes[leaf].says)), h("span", { class: "note" }, " ", data(D.nodes[leaf].share)), truth),
      ...(isShown ? [] : [h("ol", {}, steps), h("button", { onclick: () => { selectTab("tree"); follow(leaf); } }, "Show path in tree")]));
  };
  function pick(one) {
    holder.replaceChildren(...one.drawing || !D.whatif ? [h("h2", {}, "Explanation"), ...exampleParts(one)] : []);
    if (!D.whatif) { say(one.leaf, false, one); return; }
    D.whatif.attributes.forEach(([name], place) => { values[place] = one.values[name] ?? null; });
    parts = one.parts;
    fields.replaceChildren(...D.whatif.attributes.map(([name, kind, known], place) => h("label", {}, data(name), field(place, name, kind, known, one))));
    say(descend(values, parts), false, one);
  }
  function field(place, name, kind, known, one) {
    const update = (value) => { values[place] = value; say(descend(values, parts), true, one); };
    if (kind === "bool" || known.length) {
      const options = kind === "bool" ? [["yes", true], ["no", false]] : known.map((value) => [value, value]);
      const chooser = h("select", { "data-field": name, onchange: () => update(chooser.value === "" ? null : options[+chooser.value][1]) },
        h("option", { value: "" }, "missing"), options.map(([text], k) => h("option", { value: k }, text)));
      const at = options.findIndex(([, value]) => value === values[place]);
      chooser.value = at < 0 ? "" : String(at);
      return chooser;
    }
    const isMoment = kind === "date" || kind === "time";
    const input = h("input", { "data-field": name, type: isMoment ? "text" : "number", step: "any", placeholder: "missing", value: values[place],
      oninput: () => update(input.value === "" ? null : isMoment ? input.value : +input.value) });
    return input;
  }
  if (!examples.length) return [h("p", {}, "There are no individuals to choose from.")];
  pick(examples[0]);
  const editable = D.whatif && D.whatif.attributes.length;
  return [h("p", { class: "note" }, !editable ? "Choose an individual to see its path and the rows that decided each test."
    : "Choose an individual and change its values to see the prediction. Conditions on related rows stay fixed."),
    h("div", { class: "toolbar" }, h("label", {}, "individual ", select)), fields, answer, holder];
}

function valueOf(place, values) {
  const value = values[place], [, kind, known] = D.whatif.attributes[place];
  if (value === null || value === undefined) return null;
  if (kind === "ordered") return known.indexOf(value);
  if (kind === "date") return Math.floor(Date.parse(`${value}T00:00Z`) / 86400000);
  if (kind === "time") return Date.parse(`${String(value).replace(" ", "T")}Z`) / 1000;
  return value;
}
function compared(a, op, b) {
  if (a === null || b === null || Number.isNaN(a) || Number.isNaN(b)) return false;
  return op === "=" ? a === b : op === "!=" ? a !== b : op === ">=" ? a >= b : a <= b;
}
function truth(test, values, parts) {
  const value = () => valueOf(test[1], values);
  switch (test[0]) {
    case "top": return true;
    case "flag": return value() === test[2];
    case "compare": return compared(value(), test[2], test[3]);
    case "own": return compared(value(), test[2], valueOf(test[3], values));
    case "among": return value() !== null && test[2].includes(value());
    case "within": { const v = value(); return v !== null && (test[2] === null || v >= test[2]) && (test[3] === null || (test[4] ? v <= test[3] : v < test[3])); }
    case "missing": return value() === null;
    case "not": return !truth(test[1], values, parts);
    case "and": return test[1].every((part) => truth(part, values, parts));
    case "or": return test[1].some((part) => truth(part, values, parts));
    case "part": return parts[test[1]] === "1";
    default: throw new Error(`unknown test ${test[0]}`);
  }
}
function descend(values, parts) {
  let i = 0;
  while (D.nodes[i].kids) {
    const test = D.whatif.tests[i];
    if (test[0] === "switch") { const at = test[2].indexOf(values[test[1]]); i = D.nodes[i].kids[at < 0 ? test[3] : at]; }
    else i = D.nodes[i].kids[truth(test, values, parts) ? 0 : 1];
  }
  return i;
}

// ---- the page

function start() {
  document.title = D.title;
  const theme = h("button", { id: "theme", class: "push", onclick: () => {
    const dark = document.documentElement.dataset.theme ? document.documentElement.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    document.documentElement.dataset.theme = dark ? "light" : "dark";
  } }, "Toggle dark mode");
  addTab("tree", "Tree", treePanel);
  addTab("whatif", "What if", whatIfPanel);
  addTab("rules", "Rules", rulesPanel);
  addTab("quality", "Quality", qualityPanel);
  addTab("sizes", "Pruning", sizesPanel);
  addTab("importances", "Importances", importancePanel);
  addTab("effort", "Effort", effortPanel);
  addTab("learning", "Grammar", learningPanel);
  addTab("data", "Data", dataPanel);
  const all = Object.values(panels);
  document.body.replaceChildren(h("header", {}, h("h1", {}, data(D.title)), theme, h("p", {}, data([...(D.has_held_out ? [] : ["not scored on new data"]), ...(D.main_scores ? [D.main_scores] : []), ...D.summary].join("; "))), warning()),
    h("main", {}, h("div", { role: "tablist", "aria-label": "Sections of the report" }, all.map((one) => one.tab)), all.map((one) => one.panel)),
    document.getElementById("data"));
  selectTab("tree");
  openTo(Infinity);
  showDetail(0);
  openFitted();
  const refit = () => { if (stage.clientWidth) (isNarrow() === state.narrow ? state.fit : state.fit || fitTree)?.(); };
  addEventListener("resize", refit);
  let width = stage.clientWidth; // a frame that gets its size late may have no resize event
  new ResizeObserver(() => { if (stage.clientWidth && stage.clientWidth !== width) { width = stage.clientWidth; requestAnimationFrame(refit); } }).observe(stage);
  addEventListener("beforeprint", () => { Object.values(panels).forEach(built); listTree(); state.listed = false; state.zoom = 1; drawTree(false); });
  addEventListener("afterprint", fitTree);
}
start();
