/**
 * A payment's form that was left for a sign-in, because the session had ended: kept in this tab for a while,
 * and filled in again for the user who left it. Whoever else signs in finds nothing of it, as of all that
 * this browser keeps.
 */
import { withStorage } from '../../shared/api/browser-storage.js';
import { browser } from '../../shared/navigation/leaving.js';
import { EMPTY_FIELDS, type PaymentFields, type PaymentKind } from './form-rules.js';

interface LeftForm {
  readonly kind: PaymentKind;
  readonly fields: PaymentFields;
}

/** A sign-in takes a minute; after this the person has most likely turned to something else. */
const KEPT_MS = 15 * 60_000;
const KEPT_AT = 'encore.left-form';

/**
 * Under the address that the sign-in leads back to: a link that is opened meanwhile says itself what its form
 * holds.
 */
export function keepForm(userId: string, form: LeftForm): void {
  const kept = { ...form, address: browser.here(), userId, at: Date.now() };
  withStorage(() => sessionStorage.setItem(KEPT_AT, JSON.stringify(kept)), undefined);
}

export function forgetForm(): void {
  withStorage(() => sessionStorage.removeItem(KEPT_AT), undefined);
}

const KINDS: readonly unknown[] = ['now', 'recurring', 'later'] satisfies PaymentKind[];
const isForm = (value: unknown): value is LeftForm & { address: string; userId: string; at: number } => {
  const { kind, fields, at } = Object(value) as Record<string, unknown>;
  const texts = Object(fields) as Record<string, unknown>;
  return (
    KINDS.includes(kind) &&
    typeof at === 'number' &&
    Object.keys(EMPTY_FIELDS).every((name) => typeof texts[name] === 'string')
  );
};

/** What this user left at this address a moment ago. */
export function leftForm(userId: string): LeftForm | undefined {
  const kept: unknown = withStorage(() => JSON.parse(sessionStorage.getItem(KEPT_AT) ?? 'null'), undefined);
  const isIt = isForm(kept) && kept.address === browser.here() && kept.userId === userId;
  return isIt && Date.now() - kept.at < KEPT_MS ? kept : undefined;
}
