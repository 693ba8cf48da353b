/** Money over time, as a stepped line: a day's figure stands until the day after. */
import { html, trusted, type Markup } from './markup.js';
import type { DayEnd } from './report.js';
import { axisAmount, figure, money, shortDay } from './words.js';

const HEIGHT = 168;
const TOP = 26;
const BOTTOM = 134;
/** As wide as its card on a desktop, and as that on a phone: letters are as large in both. */
const SHAPES = {
  // The figure of the last day stands behind the end of the line, or above it.
  wide: { width: 836, left: 64, right: 726, dayLabels: 4, figure: { x: 14, y: 5, anchor: 'start' } },
  narrow: { width: 340, left: 46, right: 316, dayLabels: 2, figure: { x: 18, y: -12, anchor: 'end' } },
} as const;
const GRID_LINES = 3;

/** The distance of grid lines: 1, 2 or 5 of a power of ten, so that two to four of them fit in. */
function stepFor(span: number): number {
  const raw = Math.max(1, span / GRID_LINES);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].find((each) => each * power >= raw) ?? 10;
  return step * power;
}

const at = (value: number): string => String(Math.round(value * 10) / 10);

/** The chart, or undefined where there is no day to show. */
export function chart(held: readonly DayEnd[], shape: keyof typeof SHAPES = 'wide'): Markup | undefined {
  const { width, left, right, dayLabels: labels, figure: beside } = SHAPES[shape];
  const days = withDayBefore(held);
  const last = days.at(-1);
  const first = days[0];
  if (!first || !last) return undefined;
  const figures = days.map(({ minor }) => minor);
  const [least, most] = [Math.min(...figures), Math.max(...figures)];
  const room = Math.max(1, most - least);
  const x = (index: number): number => left + ((right - left) * index) / (days.length - 1);
  const y = (minor: number): number => BOTTOM - ((BOTTOM - TOP) * (minor - least)) / room;
  const step = stepFor(room);
  const lines: number[] = [];
  for (let line = Math.ceil(least / step) * step; line <= most; line += step) lines.push(line);
  const path = days
    .map(({ minor }, index) =>
      index === 0 ? `M${at(left)} ${at(y(minor))}` : `H${at(x(index))}V${at(y(minor))}`,
    )
    .join('');
  return html`<svg
    role="img"
    aria-label="Money held for people, ${shortDay(first.day)} to ${shortDay(last.day)}: from ${figure(first.minor)} to ${figure(last.minor)} dollars"
    viewBox="0 0 ${width} ${HEIGHT}"
    font-size="12"
    font-weight="500"
    class="chart ${shape}"
  >
    <g stroke="var(--line)">${lines.map((line) => html`<path d="M${left} ${at(y(line))}H${right}" />`)}</g>
    <g fill="var(--ink2)" text-anchor="end">
      ${lines.map((line) => html`<text x="${left - 10}" y="${at(y(line) + 4)}">${axisAmount(line)}</text>`)}
    </g>
    <path d="${path}" fill="none" stroke="var(--primary)" stroke-width="2.25" stroke-linejoin="round" />
    <circle cx="${right}" cy="${at(y(last.minor))}" r="5" fill="var(--primary)" />
    <text
      x="${right + beside.x}"
      y="${at(y(last.minor) + beside.y)}"
      text-anchor="${beside.anchor}"
      font-size="14"
      font-weight="640"
      fill="var(--ink)"
    >
      ${money(last.minor)}
    </text>
    <g fill="var(--ink2)">
      ${dayLabels(days, labels).map(({ index, anchor }) => dayLabel(days, index, anchor, x(index)))}
    </g>
  </svg>`;
}

/** One day is no line: a log of one day held nothing on the day before. */
function withDayBefore(days: readonly DayEnd[]): readonly DayEnd[] {
  const [only] = days;
  if (!only || days.length > 1) return days;
  const before = new Date(Date.parse(only.day) - 24 * 3_600_000);
  return [{ day: before.toISOString().slice(0, 10), minor: 0 }, only];
}

const dayLabel = (days: readonly DayEnd[], index: number, anchor: string, x: number): Markup =>
  html`<text x="${at(x)}" y="164" ${trusted(`text-anchor="${anchor}"`)}>${shortDay(days[index]!.day)}</text>`;

/** The first and the last day, and some between. */
function dayLabels(days: readonly DayEnd[], most: number): { index: number; anchor: 'start' | 'middle' }[] {
  const parts = Math.min(most, days.length) - 1;
  const labels: { index: number; anchor: 'start' | 'middle' }[] = [{ index: 0, anchor: 'start' }];
  for (let part = 1; part <= parts; part += 1)
    labels.push({ index: Math.round(((days.length - 1) * part) / parts), anchor: 'middle' });
  return labels;
}
