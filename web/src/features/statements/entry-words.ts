/** An entry in words: its title, what it was, and the picture before it. */
import type { AccountEntry } from '#contracts/api/statements';
import { capitalised } from '../../shared/wording/people.js';

export type EntryPicture = 'in' | 'out' | 'wallet' | 'bank';

interface EntryWords {
  readonly title: string;
  /** What it was, where no note says it. */
  readonly was: string;
  readonly picture: EntryPicture;
}

const isIn = ({ amount }: AccountEntry): boolean => !amount.startsWith('-');
const wallet = ({ walletName }: AccountEntry): string => walletName ?? 'a closed wallet';
/** `Harbor & Main ••6789` in two: the end of the number in the title, the bank's name beneath it. */
function bank({ bankAccountLabel }: AccountEntry): {
  readonly number: string;
  readonly name: string | undefined;
} {
  if (bankAccountLabel === null) return { number: 'a removed bank account', name: undefined };
  const [, name, number] = /^(.+) (••\S+)$/.exec(bankAccountLabel) ?? [];
  return { number: number ?? bankAccountLabel, name };
}

/** `PayoutReturned` as `Payout returned`: for types that this version of the app does not know. */
const sentenceOf = (type: string): string =>
  capitalised(type.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase());

function person(entry: AccountEntry): string {
  const { counterpartyName, counterpartyUsername } = entry;
  return counterpartyName ?? counterpartyUsername ?? (isIn(entry) ? 'Payment received' : 'Payment sent');
}

/** Whose refund or dispute it is, where that is known. */
const about = (what: string, { counterpartyName, counterpartyUsername }: AccountEntry): string => {
  const name = counterpartyName ?? counterpartyUsername;
  return name === null ? what : `${what}, ${name}`;
};

export function wordsOf(entry: AccountEntry): EntryWords {
  const direction = isIn(entry) ? 'in' : 'out';
  switch (entry.type) {
    case 'PaymentSettled':
      return { title: person(entry), was: 'Payment received', picture: direction };
    case 'TransferPosted':
      return {
        title: person(entry),
        was: isIn(entry) ? 'Paid from their balance' : 'Paid from your balance',
        picture: direction,
      };
    case 'PaymentRefunded':
      return { title: about('Refund', entry), was: 'Given back to the payer', picture: direction };
    case 'RefundFailed':
      return {
        title: about('Refund came back', entry),
        was: 'It did not reach the payer',
        picture: direction,
      };
    case 'DisputeFundsWithdrawn':
      return { title: about('Taken back', entry), was: 'The payer disputes the payment', picture: direction };
    case 'DisputeFundsReinstated':
      return {
        title: about('Given back to you', entry),
        was: 'The dispute moved it back',
        picture: direction,
      };
    case 'WalletFunded':
      return entry.account === entry.walletId
        ? { title: 'From your available balance', was: 'Your own money', picture: 'wallet' }
        : { title: `To ${wallet(entry)}`, was: 'Your own wallet', picture: 'wallet' };
    case 'WalletWithdrawn':
      return entry.account === entry.walletId
        ? { title: 'To your available balance', was: 'Your own money', picture: 'wallet' }
        : { title: `From ${wallet(entry)}`, was: 'Your own wallet', picture: 'wallet' };
    case 'PayoutRequested':
      return {
        title: `Payout to ${bank(entry).number}`,
        was: bank(entry).name ?? 'You asked for it',
        picture: 'bank',
      };
    case 'PayoutTransferred':
    case 'PayoutSubmitted':
      return {
        title: `Sent to ${bank(entry).number}`,
        was: bank(entry).name ?? 'On its way to the bank',
        picture: 'bank',
      };
    case 'PayoutCompleted':
      return {
        title: `Paid to ${bank(entry).number}`,
        was: bank(entry).name ?? 'The bank has it',
        picture: 'bank',
      };
    case 'PayoutReturned':
      return { title: 'Payout returned', was: 'The bank sent it back', picture: 'bank' };
    case 'PayoutFailed':
      return { title: 'Payout failed', was: 'The money is yours again', picture: 'bank' };
    default:
      return { title: sentenceOf(entry.type), was: isIn(entry) ? 'Added' : 'Taken', picture: direction };
  }
}
