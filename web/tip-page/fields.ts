/** What a visitor fills in: how much, with which note, and from whom. */
import { cardAmount } from '#contracts/plain/card-amount';
import { decimalFromMinor } from '#contracts/plain/money';
import type { FormDraft } from './draft.js';
import { found, inputOf, show } from './page.js';

/** A tip as it is filled in. */
export interface Tip {
  readonly amount: string;
  readonly note: string | undefined;
  readonly name: string | undefined;
}

/** The visitor's inputs. */
export class Fields {
  readonly #presets = [...document.querySelectorAll<HTMLInputElement>('input[name=preset]')];
  readonly #amount = inputOf('amount');
  readonly #anonymous = inputOf('anonymous');
  readonly #name = inputOf('name');
  readonly #note = inputOf('note');

  onChange(changed: () => void): void {
    for (const input of [...this.#presets, this.#anonymous]) input.addEventListener('change', changed);
    for (const input of [this.#amount, this.#name, this.#note]) input.addEventListener('input', changed);
    this.#presets.at(-1)?.addEventListener('change', () => this.#amount.focus());
  }

  /**
   * Shows what goes with the choices: the field of another amount, the name, and what an account pays with.
   */
  showChoices(): void {
    show(found('other'), this.#chosen()?.value === 'other');
    this.#name.disabled = this.#anonymous.checked;
    // An account pays under its own name.
    show(found('own'), !this.#anonymous.checked);
  }

  /** The chosen amount in minor units; undefined while what is typed is none. Shown = charged. */
  chosenMinor(isToBeTold = false): number | undefined {
    const preset = this.#preset;
    const read = cardAmount(preset === 'other' ? this.#amount.value : preset);
    const isWrong =
      'sentence' in read && preset === 'other' && (isToBeTold || this.#amount.value.trim() !== '');
    this.#amount.setAttribute('aria-invalid', String(isWrong));
    found('amount-problem').textContent = isWrong ? read.sentence : '';
    return 'minor' in read ? read.minor : undefined;
  }

  /** The tip as it stands; undefined, with the reason beside the amount, while it is none. */
  tip(): Tip | undefined {
    const minor = this.chosenMinor(true);
    if (minor === undefined) {
      this.#amount.focus();
      return undefined;
    }
    return {
      amount: decimalFromMinor(minor),
      note: this.#note.value.trim() || undefined,
      name: this.#anonymous.checked ? undefined : this.#name.value.trim() || undefined,
    };
  }

  draft(): FormDraft {
    return {
      preset: this.#preset,
      amount: this.#amount.value,
      note: this.#note.value,
      name: this.#name.value,
      isAnonymous: this.#anonymous.checked,
    };
  }

  fillIn(draft: FormDraft): void {
    for (const preset of this.#presets) preset.checked = preset.value === draft.preset;
    [this.#amount.value, this.#note.value, this.#name.value] = [draft.amount, draft.note, draft.name];
    this.#anonymous.checked = draft.isAnonymous;
  }

  get #preset(): string {
    return this.#chosen()?.value ?? 'other';
  }

  #chosen(): HTMLInputElement | undefined {
    return this.#presets.find(({ checked }) => checked);
  }
}
