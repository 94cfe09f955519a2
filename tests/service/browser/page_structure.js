// The boxes of a page and what state classes look like: see page_structure.py.
(within) => {
  const root = document.querySelector(within);
  const BOXES = 'header, nav, main, section, article, aside, form, table, figure';
  const shown = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && element.getClientRects().length > 0;
  const words = (text) => (text ?? '').replace(/\s+/g, ' ').trim().slice(0, 40);
  const said = (element) => element.getAttribute('aria-label') ?? document.getElementById(element.getAttribute('aria-labelledby') ?? '')?.textContent
    ?? element.querySelector('h1, h2, h3, th, button, svg')?.textContent;
  const boxes = [];
  const walk = (holder, depth) => {
    let before = null;
    for (const element of holder.querySelectorAll(BOXES)) {
      if (element.parentElement.closest(BOXES) !== (holder === root ? (root.closest(BOXES)) : holder) || !shown(element)) continue;
      const box = element.getBoundingClientRect();
      const place = before === null || element.tagName === 'FORM' ? '' : box.top >= before.bottom - 6 ? ' below' : box.left >= before.right - 6 ? ' beside' : ' over';
      boxes.push(`${'  '.repeat(depth)}${element.tagName.toLowerCase()}${place}: ${words(said(element))}`);
      if (element.tagName !== 'FORM') before = box;
      walk(element, depth + 1);
    }
  };
  walk(root, 0);
  const tones = {};
  for (const element of document.querySelectorAll('.badge, .state, .health, .fault, .shiftline .unseen, .shiftline .round, .shiftline a.pin circle')) {
    if (!shown(element)) continue;
    const style = getComputedStyle(element), isDrawn = element instanceof SVGElement;
    const name = [...(isDrawn ? [element.tagName] : []), ...element.classList].join('.');
    tones[name] = isDrawn ? `fill ${style.fill}, stroke ${style.stroke}` : `${style.color} on ${style.backgroundColor}`;
  }
  return { boxes, tones };
}
