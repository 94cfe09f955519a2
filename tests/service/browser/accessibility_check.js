// What is amiss on a page, in words: see accessibility.py.
() => {
  const faults = [];
  const shown = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && element.getClientRects().length > 0;
  const named = (element) => {
    const by = (element.getAttribute('aria-labelledby') ?? '').split(' ').map((id) => document.getElementById(id)?.textContent ?? '').join('');
    return (element.getAttribute('aria-label') ?? '') + by + (element.labels?.length ? 'label' : '') + element.textContent.trim()
      + (element.getAttribute('title') ?? '') + (element.querySelector('img[alt]:not([alt=""])') ? 'picture' : '');
  };
  if (document.querySelectorAll('h1').length !== 1) faults.push(`${document.querySelectorAll('h1').length} h1`);
  if (!document.title || !document.documentElement.lang) faults.push('no title or language');
  if (document.querySelectorAll('main').length !== 1) faults.push('not one main');
  for (const element of document.querySelectorAll('button, a[href], input:not([type=hidden]), select, textarea, summary, video, meter, [role=img]')) {
    if (shown(element) && !element.closest('[aria-hidden=true]') && !named(element)) faults.push(`no name: ${element.outerHTML.slice(0, 90)}`);
  }
  for (const image of document.images) if (!image.hasAttribute('alt')) faults.push(`no alt: ${image.outerHTML.slice(0, 90)}`);
  for (const element of document.querySelectorAll('[tabindex]')) if (element.tabIndex > 0) faults.push(`forced focus: ${element.outerHTML.slice(0, 90)}`);
  const headings = [...document.querySelectorAll('h1, h2, h3, h4')].filter(shown).map((element) => Number(element.tagName[1]));
  headings.forEach((level, n) => { if (n && level > headings[n - 1] + 1) faults.push(`h${level} after h${headings[n - 1]}`); });

  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const colour = (text) => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = text; canvas.fillRect(0, 0, 1, 1); return [...canvas.getImageData(0, 0, 1, 1).data]; };
  const over = (top, below) => { const a = top[3] / 255; return [0, 1, 2].map((i) => top[i] * a + below[i] * (1 - a)).concat(255); };
  const light = ([r, g, b]) => [r, g, b].map((part) => { const c = part / 255; return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; })
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) layers.push(colour(getComputedStyle(at).backgroundColor));
    return layers.reverse().reduce((below, layer) => over(layer, below), [255, 255, 255, 255]);
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode, element = text.parentElement;
    if (!text.textContent.trim() || !shown(element) || element.closest('svg, .visually-hidden, .picture, .stage, :disabled, option')) continue;
    const style = getComputedStyle(element), behind = ground(element), ink = over(colour(style.color), behind);
    const [high, low] = [light(ink), light(behind)].sort((a, b) => b - a);
    const size = parseFloat(style.fontSize), is_large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    const ratio = (high + 0.05) / (low + 0.05);
    if (ratio < (is_large ? 3 : 4.5)) faults.push(`contrast ${ratio.toFixed(2)}: ${element.className} "${text.textContent.trim().slice(0, 40)}"`);
  }
  return [...new Set(faults)];
}
