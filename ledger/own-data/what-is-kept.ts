/**
 * What stays when somebody is forgotten, and why: the last part of the download, in the words of privacy.md.
 */

interface KeptThing {
  readonly what: string;
  readonly why: string;
}

export const WHAT_IS_KEPT: {
  readonly afterForgetting: readonly KeptThing[];
  readonly notInThisFile: readonly KeptThing[];
} = {
  afterForgetting: [
    {
      what: 'The amounts, times and ids of your payments, payouts and wallets, without your name.',
      why: 'The books must add up, and whoever paid you or was paid by you keeps their own history.',
    },
    {
      what: 'Your name, e-mail address, notes, and the names of wallets, bank accounts and passkeys, encrypted.',
      why: 'The record of what happened is never rewritten. The key to them is destroyed, so nobody can read them.',
    },
    {
      what: 'Lines of the security trail: ids, the kind of device and a shortened IP address.',
      why: 'They show who signed in and what was refused. They are deleted when they reach a set age.',
    },
    {
      what: 'What the payment provider keeps of your payments and of your payout account.',
      why: 'It has to keep its own records, and a bank may send a payout back for days. Saved cards are deleted there.',
    },
  ],
  notInThisFile: [
    {
      what: 'Bank accounts, cards and passkeys that you removed, wallets that you closed, and payments that were never paid.',
      why: 'They are in no list of yours any more. What was moved in and out of closed wallets is in this file.',
    },
    {
      what: 'Messages that are older than 90 days, and sessions that have ended.',
      why: 'They are deleted.',
    },
    {
      what: 'Whole card and account numbers, keys of passkeys and the ids that the payment provider uses.',
      why: 'Numbers are never ours to see, and whoever finds this file must not be able to pay or sign in with it.',
    },
    {
      what: 'E-mail addresses of other people, and names of people who hide theirs.',
      why: 'They are theirs. The other side of a payment is named as the app names them.',
    },
  ],
};
