// Geometry of a drawn cloth: the way between picture and millimetres, outlines of shapes, copies of a seat. Nothing here knows the page.

const CIRCLE = 24;
const ARC_STEP = 7;
const SHARP = Math.PI / 6;

/** The map that takes four places to four others: eight equations for the eight numbers of a homography. */
export function homography(from, to) {
  const rows = from.flatMap(([x, y], i) => {
    const [u, v] = to[i];
    return [[x, y, 1, 0, 0, 0, -u * x, -u * y, u], [0, 0, 0, x, y, 1, -v * x, -v * y, v]];
  });
  for (let column = 0; column < 8; column++) {
    let best = column;
    for (let row = column + 1; row < 8; row++) if (Math.abs(rows[row][column]) > Math.abs(rows[best][column])) best = row;
    [rows[column], rows[best]] = [rows[best], rows[column]];
    if (Math.abs(rows[column][column]) < 1e-12) return null;
    for (let row = 0; row < 8; row++) {
      if (row === column) continue;
      const share = rows[row][column] / rows[column][column];
      for (let i = column; i < 9; i++) rows[row][i] -= share * rows[column][i];
    }
  }
  const h = rows.map((row, i) => row[8] / row[i]);
  return ([x, y]) => {
    const depth = h[6] * x + h[7] * y + 1;
    return [(h[0] * x + h[1] * y + h[2]) / depth, (h[3] * x + h[4] * y + h[5]) / depth];
  };
}

export const distance = ([x, y], [u, v]) => Math.hypot(x - u, y - v);

/** A box along the cloth's edges, from two opposite corners. */
export const box = ([x, y], [u, v]) => {
  const [left, right, top, bottom] = [Math.min(x, u), Math.max(x, u), Math.min(y, v), Math.max(y, v)];
  return [[left, top], [right, top], [right, bottom], [left, bottom]];
};

export function circle(centre, rim) {
  const radius = distance(centre, rim);
  return Array.from({ length: CIRCLE }, (_, i) => around(centre, radius, (2 * Math.PI * i) / CIRCLE));
}

const around = ([x, y], radius, angle) => [x + radius * Math.cos(angle), y + radius * Math.sin(angle)];

/** The centre of the circle through three places; null where they lie on a line. */
export function centreOf([ax, ay], [bx, by], [cx, cy]) {
  const d = 2 * (ax * (by - cy) + bx * (cy - ay) + cx * (ay - by));
  if (Math.abs(d) < 1e-6) return null;
  const [a, b, c] = [ax * ax + ay * ay, bx * bx + by * by, cx * cx + cy * cy];
  return [(a * (by - cy) + b * (cy - ay) + c * (ay - by)) / d, (a * (cx - bx) + b * (ax - cx) + c * (bx - ax)) / d];
}

/** A band along an arc: begin, a place between and end of one edge, and any place on the other edge. */
export function arc(begin, between, end, other) {
  const centre = centreOf(begin, between, end);
  if (!centre) return null;
  const angle = (place) => Math.atan2(place[1] - centre[1], place[0] - centre[0]);
  const turn = (value) => ((value % (2 * Math.PI)) + 2 * Math.PI) % (2 * Math.PI);
  const from = angle(begin), whole = turn(angle(end) - from), part = turn(angle(between) - from);
  const sweep = part <= whole ? whole : whole - 2 * Math.PI;
  const edge = (radius) => Array.from({ length: ARC_STEP }, (_, i) => around(centre, radius, from + (sweep * i) / (ARC_STEP - 1)));
  return [...edge(distance(centre, begin)), ...edge(distance(centre, other)).reverse()];
}

/** Places turned about a centre, and moved. */
export function turned(points, centre, angle, [dx, dy] = [0, 0]) {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  return points.map(([x, y]) => {
    const [u, v] = [x - centre[0], y - centre[1]];
    return [centre[0] + cos * u - sin * v + dx, centre[1] + sin * u + cos * v + dy];
  });
}

export const mirrored = (points, width) => points.map(([x, y]) => [width - x, y]);

/** The turn that takes two places to where the last seat has them; between seats it is done in equal parts, along an arc, or a line where nothing turns. */
export function repeater([a, b], [c, d]) {
  const angle = ((Math.atan2(d[1] - c[1], d[0] - c[0]) - Math.atan2(b[1] - a[1], b[0] - a[0]) + 3 * Math.PI) % (2 * Math.PI)) - Math.PI;
  if (Math.abs(angle) < 0.02) return (points, share) => points.map(([x, y]) => [x + (c[0] - a[0]) * share, y + (c[1] - a[1]) * share]);
  const half = 1 / (2 * Math.tan(angle / 2));
  const centre = [(a[0] + c[0]) / 2 - (c[1] - a[1]) * half, (a[1] + c[1]) / 2 + (c[0] - a[0]) * half];
  return (points, share) => turned(points, centre, angle * share);
}

/** The places of an outline at which it turns sharply: corners that a person finds again on the cloth, where a circle has none. */
export const corners = (points) => points.filter((here, i) => {
  const before = points.at(i - 1), after = points[(i + 1) % points.length];
  const turn = Math.atan2(after[1] - here[1], after[0] - here[0]) - Math.atan2(here[1] - before[1], here[0] - before[0]);
  return Math.abs(((turn + 3 * Math.PI) % (2 * Math.PI)) - Math.PI) >= SHARP;
});

/** A place drawn to a corner that is near, else level or upright with the last one. */
export function snapped(at, corners, last, near_mm) {
  const best = corners.reduce((found, corner) => (distance(corner, at) < distance(found ?? [Infinity, Infinity], at) ? corner : found), null);
  if (best && distance(best, at) <= near_mm) return [...best];
  if (!last) return at;
  return [Math.abs(at[0] - last[0]) <= near_mm / 2 ? last[0] : at[0], Math.abs(at[1] - last[1]) <= near_mm / 2 ? last[1] : at[1]];
}
