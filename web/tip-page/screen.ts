/** What the page tells whoever pays, and that it works on one press at a time. */
import { found, LOST } from './page.js';

/** The page's two lines of text, and its buttons while one press is worked on. */
export class Screen {
  readonly #problem = found('problem');
  readonly #status = found('status');
  #isBusy = false;
  #freed: () => void = () => undefined;

  /** `isPreview`: the page's owner looks at it, and nothing can be paid. */
  constructor(readonly isPreview: boolean) {}

  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** Once nothing is worked on any more. */
  onFree(freed: () => void): void {
    this.#freed = freed;
  }

  fail(sentence: string): void {
    this.#problem.textContent = sentence;
    this.#problem.hidden = sentence === '';
  }

  tell(sentence: string): void {
    this.#status.textContent = sentence;
  }

  /** Works on a press, unless another is worked on. What it answers is why nothing was paid, and is shown. */
  async busy(work: () => Promise<string | undefined | void>): Promise<string | undefined> {
    if (this.#isBusy || this.isPreview) return undefined;
    const pressed = document.activeElement;
    this.#setBusy(true);
    this.fail('');
    this.tell('');
    const refused = (await work().catch(() => LOST)) ?? undefined;
    if (refused !== undefined) this.fail(refused);
    this.#setBusy(false);
    // A button that is disabled loses the focus.
    if (document.activeElement === document.body && pressed instanceof HTMLElement) pressed.focus();
    return refused;
  }

  /** Waits for nothing any more: the browser shows the page again as it was left. */
  comeBack(): void {
    this.#setBusy(false);
  }

  #setBusy(is: boolean): void {
    this.#isBusy = is;
    for (const button of document.querySelectorAll<HTMLButtonElement>('#pay button')) button.disabled = is;
    if (!is) this.#freed();
  }
}
