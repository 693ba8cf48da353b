/** What a refusal that asks to confirm says: the words that are signed, and what is shown around them. */
import type { RequestedConfirmation } from '#contracts/api/step-up';
import type { CallError } from '../../shared/api/call.js';

export interface Requested extends Readonly<Partial<Omit<RequestedConfirmation, 'expiresAt'>>> {
  /** How long it could be confirmed when the refusal was answered, in milliseconds. */
  readonly endsInMs?: number;
}

const TEXTS = ['id', 'words', 'amount', 'leftAfter', 'to', 'from', 'arrives'] as const;

/**
 * Reads it. The end is measured against the answer's own date: a browser's clock may be hours off. An older
 * ledger says nothing of all this.
 */
export function requestedBy({ confirm, answeredAt }: CallError): Requested {
  if (typeof confirm !== 'object' || confirm === null) return {};
  const said = new Map<string, unknown>(Object.entries(confirm));
  const texts = TEXTS.flatMap((name) => {
    const text = said.get(name);
    return typeof text === 'string' && text !== '' ? [[name, text] as const] : [];
  });
  const endsAt = said.get('expiresAt');
  const endsInMs =
    typeof endsAt === 'string' ? Date.parse(endsAt) - (Date.parse(answeredAt ?? '') || Date.now()) : NaN;
  return { ...Object.fromEntries(texts), ...(!Number.isNaN(endsInMs) && { endsInMs }) };
}
