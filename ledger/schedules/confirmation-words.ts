/** What the confirmations of changes to subscriptions and of those to scheduled payments have in common. */
import type { Confirmation } from '#contracts/api/step-up';
import { decimalFromMinor, dollarsFromMinor } from '#contracts/plain/money';
import type { ConfirmationFacts, SourceFacts } from '#edge/proof';

/** What pays, as a sentence says it. */
export async function sourceInWords(
  userId: string,
  chosen: SourceFacts,
  facts: ConfirmationFacts,
): Promise<string> {
  switch (chosen.from) {
    case 'balance_then_card':
      return 'your balance, else your saved card';
    case 'balance':
      return 'your balance';
    case 'card':
      return (await facts.card(userId, chosen.cardId)) ?? 'another saved card';
  }
}

/** A failed payment is tried again now; `then` is what follows from that. */
export async function payNowInWords(
  userId: string,
  known: { readonly amountMinor: number; readonly to: string; readonly source: SourceFacts },
  facts: ConfirmationFacts,
  then = '',
): Promise<Confirmation> {
  const { amountMinor, to, source } = known;
  const from = await sourceInWords(userId, source, facts);
  return {
    words: `Pay ${dollarsFromMinor(amountMinor)} to ${to} now from ${from}${then}`,
    amount: decimalFromMinor(amountMinor),
    to,
    from,
    arrives: 'now',
  };
}
