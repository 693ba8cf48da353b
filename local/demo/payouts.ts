/**
 * The way to the bank: accounts that are verified, payouts that arrive, one that the bank sends back, and one
 * that waits because its owner has not told yet who she is.
 */
import type { Chapter, Demo } from './chapter.js';
import type { DemoName } from './people.js';
import { CLOSED_ACCOUNT } from './till.js';

/** The provider's test bank; the account numbers are made up, but the one that is closed. */
const ROUTING_NUMBER = '110000000';

interface Bank {
  readonly of: DemoName;
  readonly bankName: string;
  readonly accountNumber: string;
  readonly accountType: 'checking' | 'savings';
  /** Left undone: whether its owner goes on to the provider's verification. */
  readonly unverified?: boolean;
}

/** Everybody's first one is the primary one. */
export const BANKS: readonly Bank[] = [
  { of: 'juno', bankName: 'Harbor & Main Bank', accountNumber: '000417730926', accountType: 'checking' },
  { of: 'juno', bankName: 'Old Quay Savings', accountNumber: CLOSED_ACCOUNT, accountType: 'savings' },
  {
    of: 'odalys',
    bankName: 'Ferry Street Credit Union',
    accountNumber: '000208841573',
    accountType: 'savings',
  },
  { of: 'teodor', bankName: 'Harbor & Main Bank', accountNumber: '000551200348', accountType: 'checking' },
  {
    of: 'nell',
    bankName: 'Lamplight Bank',
    accountNumber: '000630017452',
    accountType: 'checking',
    unverified: true,
  },
];

interface DemoPayout {
  readonly of: DemoName;
  readonly to: string;
  readonly amount: string;
  readonly becomes: 'completed' | 'failed' | 'pending';
}

export const PAYOUTS: readonly DemoPayout[] = [
  { of: 'juno', to: 'Old Quay Savings', amount: '120.00', becomes: 'failed' },
  { of: 'juno', to: 'Harbor & Main Bank', amount: '400.00', becomes: 'completed' },
  { of: 'juno', to: 'Harbor & Main Bank', amount: '250.00', becomes: 'completed' },
  { of: 'odalys', to: 'Ferry Street Credit Union', amount: '300.00', becomes: 'completed' },
  { of: 'teodor', to: 'Harbor & Main Bank', amount: '90.00', becomes: 'completed' },
  { of: 'nell', to: 'Lamplight Bank', amount: '45.00', becomes: 'pending' },
];

const owners = (): DemoName[] => [...new Set(BANKS.map(({ of }) => of))];

export const bankAccounts: Chapter = {
  name: 'bank accounts',
  run: (demo) =>
    demo.forEach(owners(), async (of) => {
      for (const bank of BANKS.filter((one) => one.of === of)) await add(demo, bank);
      if (!BANKS.some((bank) => bank.of === of && bank.unverified)) await verify(demo, of);
    }),
};

export const payouts: Chapter = {
  name: 'payouts',
  run: async (demo) => {
    // One after the other for each owner, so that their list has them in this order.
    await demo.forEach(owners(), async (of) => {
      for (const payout of PAYOUTS.filter((one) => one.of === of)) await request(demo, payout);
    });
  },
};

async function add(demo: Demo, { of, bankName, accountNumber, accountType }: Bank): Promise<void> {
  const owner = await demo.person(of);
  const { firstName, lastName } = owner.person;
  const body = {
    accountHolderName: `${firstName} ${lastName}`,
    bankName,
    accountNumber,
    routingNumber: ROUTING_NUMBER,
    accountType,
  };
  await owner.call('POST', '/api/bank-accounts', body, demo.keyOf(`bank account ${of} ${bankName}`));
}

/** Tells the provider who they are, on its page, unless that is done. */
async function verify(demo: Demo, of: DemoName): Promise<void> {
  const owner = await demo.person(of);
  const { onboardingUrl } = (await owner.call('POST', '/api/payouts/onboarding', {})) as {
    onboardingUrl: string | null;
  };
  if (onboardingUrl === null) return;
  await demo.till.accept(onboardingUrl);
  await owner.until<{ isVerified: boolean }>(
    '/api/bank-accounts',
    'the verification',
    ({ isVerified }) => isVerified,
  );
}

async function request(demo: Demo, { of, to, amount }: DemoPayout): Promise<void> {
  const owner = await demo.person(of);
  const banks = await owner.list<{ id: string; bankName: string }>('/api/bank-accounts');
  const bankAccountId = banks.find(({ bankName }) => bankName === to)?.id;
  // A visitor of the demo may have removed it since an earlier start.
  if (bankAccountId === undefined) return;
  await owner.call(
    'POST',
    '/api/payouts',
    { amount, bankAccountId },
    demo.keyOf(`payout ${of} ${to} ${amount}`),
  );
}
