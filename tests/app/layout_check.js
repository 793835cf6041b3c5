// SPDX-License-Identifier: MIT
// What is wrong with the layout of the page that is open, as a list of sentences; run by layout_check.py inside a browser.
//
// Every text that can be seen is a box: a line of a text in HTML, a text of an SVG, a list or field for input. No two boxes
// overlap, none is cut off by what holds it or by the page, none is covered, and its colour stands out from what is behind it.
// options: {within: selector of the part that is looked at, sideways: selector of what may scroll sideways,
// contrast: smallest ratio (WCAG 2 asks for 4.5), 0: any}
function layoutFaults(options) {
  const root = document.querySelector(options.within || 'body'), faults = new Set();
  const paper = new OffscreenCanvas(1, 1).getContext('2d', {willReadFrequently: true});
  const colours = new Map(), SLACK = 1.5; // px, of rounding

  // [r, g, b, alpha] of any colour of CSS.
  function colour(text) {
    if (!colours.has(text)) {
      paper.clearRect(0, 0, 1, 1);
      paper.fillStyle = text;
      paper.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = paper.getImageData(0, 0, 1, 1).data;
      colours.set(text, [r, g, b, a / 255]);
    }
    return colours.get(text);
  }

  function over(front, back) {
    const a = front[3];
    return [0, 1, 2].map((i) => a * front[i] + (1 - a) * back[i]).concat(1);
  }

  function luminance([r, g, b]) {
    const linear = (v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  }

  function ratio(a, b) {
    const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
  }

  const holds = (outer, box) => outer.left <= box.left + SLACK && outer.right >= box.right - SLACK &&
    outer.top <= box.top + SLACK && outer.bottom >= box.bottom - SLACK;

  // The shapes of a drawing that lie behind a text of it, the nearest first.
  function shapesBehind(element, box) {
    const svg = element.ownerSVGElement, shapes = [];
    if (!svg) return shapes;
    for (const shape of svg.querySelectorAll('rect, circle, ellipse, polygon, path')) {
      if (!(shape.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING)) break;
      const style = getComputedStyle(shape);
      if (style.fill !== 'none' && !shape.closest('defs, marker') && holds(shape.getBoundingClientRect(), box))
        shapes.unshift(style.fill.startsWith('url') ? null : style.fill);
    }
    return shapes;
  }

  // What is behind a text, or null where that is a picture.
  function background(element, box) {
    const layers = shapesBehind(element, box);
    for (let e = element; e; e = e.parentElement) {
      const style = getComputedStyle(e);
      if (style.backgroundImage !== 'none') layers.push(null);
      layers.push(style.backgroundColor);
    }
    let solid = layers.findIndex((layer) => layer === null || colour(layer)[3] === 1);
    if (solid < 0) solid = layers.push('white') - 1;
    if (layers[solid] === null) return null;
    return layers.slice(0, solid).reverse().reduce((back, front) => over(colour(front), back), colour(layers[solid]));
  }

  function opacity(element) {
    let product = 1;
    for (let e = element; e; e = e.parentElement) product *= Number(getComputedStyle(e).opacity);
    return product;
  }

  function turned(element) {
    if (element.ownerSVGElement) {
      const m = element.getScreenCTM();
      return Math.abs(m.b) > Math.abs(m.a);
    }
    return getComputedStyle(element).writingMode.startsWith('vertical');
  }

  // A line is as high as its font may be; what is printed leaves some of that free above and below.
  function trim(box, sideways) {
    const dx = sideways ? 0.16 * box.width : 0, dy = sideways ? 0 : 0.16 * box.height;
    return {left: box.left + dx, right: box.right - dx, top: box.top + dy, bottom: box.bottom - dy};
  }

  function name(text) {
    return `"${text.words.slice(0, 40)}" at ${Math.round(text.box.left)}, ${Math.round(text.box.top)}`;
  }

  const visible = (e) => e.checkVisibility({opacityProperty: true, visibilityProperty: true}) &&
    !e.closest('script, style, option, title, noscript, defs') && !hidden(e);
  // Read aloud and not shown.
  function hidden(element) {
    for (let e = element; e; e = e.parentElement) if (getComputedStyle(e).clipPath !== 'none') return true;
    return false;
  }

  function texts() {
    const found = [], walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const words = node.textContent.replace(/\s+/g, ' ').trim(), element = node.parentElement;
      if (!words || !visible(element)) continue;
      const range = document.createRange(), drawn = element.ownerSVGElement;
      range.selectNodeContents(node);
      for (const box of drawn ? [element.getBoundingClientRect()] : range.getClientRects())
        if (box.width > 0 && box.height > 0) found.push({words, element, node, box: trim(box, turned(element))});
    }
    for (const element of root.querySelectorAll('select, input:not([type=range], [type=radio], [type=checkbox]), textarea'))
      if (visible(element))
        found.push({words: element.value, element, node: element, box: trim(element.getBoundingClientRect(), false)});
    return found;
  }

  // Whether what holds a text shows it; complains where it is cut off.
  function shown(text) {
    const {box, element} = text;
    let inside = true, mayLeave = false;
    for (let e = element; e && e !== document.documentElement; e = e.parentElement) {
      const style = getComputedStyle(e), edge = e.getBoundingClientRect();
      if (style.position === 'fixed') mayLeave = true;
      if (e === document.body || (style.overflowX === 'visible' && style.overflowY === 'visible')) continue;
      const left = edge.left - box.left > SLACK, right = box.right - edge.right > SLACK;
      const above = edge.top - box.top > SLACK, below = box.bottom - edge.bottom > SLACK;
      const scrollsX = /auto|scroll/.test(style.overflowX), scrollsY = /auto|scroll/.test(style.overflowY);
      if ((left || right) && scrollsX && options.sideways && e.matches(options.sideways)) mayLeave = true;
      else if (left || right) faults.add(`cut off at the side by ${label(e)}: ${name(text)}`);
      if ((above || below) && !scrollsY) faults.add(`cut off by ${label(e)}: ${name(text)}`);
      if (box.bottom < edge.top || box.top > edge.bottom || box.right < edge.left || box.left > edge.right) inside = false;
      if ((above || below) && scrollsY) inside = false; // scrolled half away
    }
    const page = document.documentElement.clientWidth;
    if (inside && !mayLeave && (box.left < -SLACK || box.right > page + SLACK)) faults.add(`beyond the page: ${name(text)}`);
    return inside;
  }

  function label(e) {
    return e.tagName.toLowerCase() + (e.id ? `#${e.id}` : '') + (e.classList.length ? `.${[...e.classList].join('.')}` : '');
  }

  function overlap(list) {
    list.sort((a, b) => a.box.top - b.box.top);
    list.forEach((a, i) => {
      for (let k = i + 1; k < list.length && list[k].box.top < a.box.bottom - SLACK; k++) {
        const b = list[k], wide = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
        const high = Math.min(a.box.bottom, b.box.bottom) - b.box.top;
        if (a.node !== b.node && wide > SLACK && high > SLACK) faults.add(`overlap: ${name(a)} and ${name(b)}`);
      }
    });
  }

  // Something opaque that is none of the text's own boxes lies above its middle.
  function covered(text) {
    const {box, element} = text, x = (box.left + box.right) / 2, y = (box.top + box.bottom) / 2;
    if (getComputedStyle(element).pointerEvents === 'none' || element.closest('[inert]')) return;
    const above = document.elementFromPoint(x, y); // null outside the window
    if (!above || above === element || above.contains(element) || element.contains(above)) return;
    if (above.ownerSVGElement || colour(getComputedStyle(above).backgroundColor)[3] > 0)
      if (!(above.ownerSVGElement && above.ownerSVGElement === element.ownerSVGElement))
        faults.add(`covered by ${label(above)}: ${name(text)}`);
  }

  function faint(text) {
    const {box, element} = text, style = getComputedStyle(element), back = background(element, box);
    if (!back) return;
    const front = colour(element.ownerSVGElement ? style.fill : style.color);
    const got = ratio(over([...front.slice(0, 3), front[3] * opacity(element)], back), back);
    if (got < (options.contrast ?? 4.5)) faults.add(`contrast ${got.toFixed(2)}: ${name(text)}`);
  }

  const page = document.scrollingElement;
  if (page.scrollWidth > page.clientWidth) faults.add(`the page scrolls sideways: ${page.scrollWidth} in ${page.clientWidth} px`);
  const list = texts().filter(shown);
  overlap(list);
  list.forEach(covered);
  list.forEach(faint);
  if (!list.length) faults.add('there is no text');
  return [...faults].slice(0, 40);
}
