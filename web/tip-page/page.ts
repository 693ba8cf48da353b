/** Small parts of the tip page's script: elements by id, and calls. */

import { CLOSED_HEADER, STALE_HEADER } from '#contracts/plain/headers';

const ASK_EVERY_MS = 5_000;

export const LOST =
  'The answer did not arrive. Check your connection and press again: you are not charged twice.';

/** The element of an id. Throws for a page that has none: page and script are of one build. */
export function found(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`The page has no ${id}.`);
  return element;
}

export function inputOf(id: string): HTMLInputElement {
  const element = found(id);
  if (!(element instanceof HTMLInputElement)) throw new Error(`${id} is no input.`);
  return element;
}

export function show(element: HTMLElement, isShown: boolean): void {
  element.hidden = !isShown;
}

export interface Answer {
  readonly ok: boolean;
  readonly status: number;
  /** The server's sentence, of a refusal. */
  readonly message: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** As long as the app waits. What was pressed may be pressed again then: it is the same call. */
const ANSWER_WITHIN_MS = 30_000;

/** A call with a JSON body; undefined where no answer came. */
export async function post(
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer | undefined> {
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(), ANSWER_WITHIN_MS);
  try {
    const response = await fetch(path, {
      method: 'POST',
      signal: patience.signal,
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    const read = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
    const message =
      typeof read['message'] === 'string' ? read['message'] : 'Something went wrong. Try again.';
    return { ok: response.ok, status: response.status, message, body: read };
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

/** Why an attempt at the card provider did not go through, as far as it says. */
export interface Refused {
  readonly type: string;
  readonly message?: string | undefined;
  /** How the payment stands, where it has ended already. */
  readonly payment_intent?: { readonly status: string } | undefined;
}

/** Whether the money is on its way or has arrived. */
export const isPaid = (payment: { readonly status: string } | undefined): boolean =>
  payment?.status === 'succeeded' || payment?.status === 'processing';

/** What to say of it. A lost answer is no refusal: the next press goes on with the same payment. */
export const reasonOf = ({ type, message }: Refused): string | undefined =>
  type === 'api_connection_error' ? LOST : message;

/** While the page says that it may be out of date, it asks whether that is over. */
export function watchOutage(): void {
  const notice = document.getElementById('out-of-date');
  if (notice === null) return;
  const timer = setInterval(() => {
    fetch('/api/config').then(
      ({ ok, headers }) => {
        if (!ok || headers.has(STALE_HEADER) || headers.has(CLOSED_HEADER)) return;
        clearInterval(timer);
        notice.remove();
      },
      () => undefined,
    );
  }, ASK_EVERY_MS);
}

/** The app's typeface, once everything that pays is there. */
export function loadFont(): void {
  const url = document.querySelector<HTMLMetaElement>('meta[name=font]')?.content;
  if (url === undefined) return;
  const face = new FontFace('Archivo', `url(${url})`, { weight: '100 900', stretch: '62% 125%' });
  face.load().then(
    (loaded) => document.fonts.add(loaded),
    () => undefined,
  );
}
