/** HTML in which every text is escaped, because nothing else can be put into it: see {@link html}. */
import { escaped } from '#contracts/plain/html';

/** HTML that may stand in a page as it is. Only {@link html} and {@link trusted} make it. */
export class Markup {
  constructor(readonly text: string) {}
}

type Part = Markup | string | number | false | undefined | readonly Part[];

function textOf(part: Part): string {
  if (part === false || part === undefined) return '';
  if (part instanceof Markup) return part.text;
  if (typeof part === 'object') return part.map(textOf).join('');
  return escaped(String(part));
}

/** Markup from a template: its own text stands as it is, what is put into it is escaped. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return new Markup(strings.reduce((text, string, at) => text + textOf(parts[at - 1]) + string));
}

/** Markup from a text of this program: never from a log. */
export const trusted = (text: string): Markup => new Markup(text);
