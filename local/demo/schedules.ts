/**
 * Subscriptions, each of which has paid once, and payments that are to come. One of each kind is no longer
 * wanted.
 */
import type { Chapter, Demo } from './chapter.js';
import type { DemoName } from './people.js';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const CURTAIN_HOUR = 20;

interface Plan {
  readonly from: DemoName;
  readonly to: DemoName;
  readonly amount: string;
  readonly note: string;
  readonly endsAs?: 'paused' | 'cancelled';
}

/**
 * Each collects its first payment at once: from the payer's balance where that covers it, else from their
 * card.
 */
export const SUBSCRIPTIONS: readonly (Plan & { readonly frequency: 'daily' | 'weekly' | 'monthly' })[] = [
  { from: 'juno', to: 'odalys', amount: '15.00', frequency: 'monthly', note: 'Singing lessons' },
  {
    from: 'juno',
    to: 'nell',
    amount: '4.00',
    frequency: 'weekly',
    note: 'One good joke a week',
    endsAs: 'paused',
  },
  {
    from: 'wren',
    to: 'juno',
    amount: '10.00',
    frequency: 'weekly',
    note: 'The slow one, please, every week',
  },
  { from: 'imani', to: 'odalys', amount: '5.00', frequency: 'monthly', note: 'For the low notes' },
  {
    from: 'petra',
    to: 'teodor',
    amount: '8.00',
    frequency: 'monthly',
    note: 'A trick a month',
    endsAs: 'cancelled',
  },
];

/** So many days from now, each under its own note: a later start finds it by that. */
export const SCHEDULED: readonly (Plan & { readonly inDays: number })[] = [
  { from: 'juno', to: 'teodor', amount: '60.00', inDays: 6, note: 'Half of the rabbit' },
  { from: 'juno', to: 'odalys', amount: '25.00', inDays: 19, note: 'For the next duet' },
  {
    from: 'juno',
    to: 'nell',
    amount: '18.00',
    inDays: 33,
    note: 'Two seats in the front row',
    endsAs: 'cancelled',
  },
  { from: 'wren', to: 'juno', amount: '40.00', inDays: 12, note: 'Birthday song' },
  { from: 'lantern', to: 'juno', amount: '350.00', inDays: 9, note: 'Friday, two sets' },
  { from: 'lantern', to: 'odalys', amount: '280.00', inDays: 16, note: 'Sunday matinee' },
];

interface ListedSchedule {
  readonly id: string;
  readonly description: string | null;
  readonly status: string;
  readonly lastPaymentAt?: string | null;
}

export const schedules: Chapter = {
  name: 'schedules',
  run: async (demo) => {
    await demo.forEach(SUBSCRIPTIONS, (plan) => subscribe(demo, plan));
    await demo.forEach(SCHEDULED, (plan) => schedule(demo, plan));
    // All are created before the first is waited for: one look of the workers collects them together.
    await demo.forEach(SUBSCRIPTIONS, (plan) => collected(demo, plan));
  },
};

async function subscribe(
  demo: Demo,
  { from, to, amount, frequency, note }: (typeof SUBSCRIPTIONS)[number],
): Promise<void> {
  const [payer, recipient] = [await demo.person(from), await demo.person(to)];
  const body = { toUserId: recipient.id, amount, frequency, description: note };
  await payer.call('POST', '/api/subscriptions', body, demo.keyOf(`subscription ${from} ${to} ${note}`));
}

async function collected(demo: Demo, { from, note, endsAs }: (typeof SUBSCRIPTIONS)[number]): Promise<void> {
  const payer = await demo.person(from);
  const isThis = ({ description }: ListedSchedule): boolean => description === note;
  const isCollected = (one: ListedSchedule): boolean => isThis(one) && typeof one.lastPaymentAt === 'string';
  await payer.until<ListedSchedule>('/api/subscriptions', `the first payment of “${note}”`, isCollected);
  await end(demo, from, '/api/subscriptions', note, endsAs);
}

async function schedule(
  demo: Demo,
  { from, to, amount, inDays, note, endsAs }: (typeof SCHEDULED)[number],
): Promise<void> {
  const [payer, recipient] = [await demo.person(from), await demo.person(to)];
  const planned = await payer.list<ListedSchedule>('/api/scheduled-payments');
  if (!planned.some(({ description }) => description === note)) {
    // Counted from today and not from when the demo was begun: that may be weeks ago, and nothing is
    // scheduled in the past.
    const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
    const scheduledDate = new Date(today + inDays * DAY_MS + CURTAIN_HOUR * HOUR_MS).toISOString();
    const body = { toUserId: recipient.id, amount, scheduledDate, description: note };
    await payer.call('POST', '/api/scheduled-payments', body, demo.keyOf(`scheduled ${from} ${to} ${note}`));
  }
  await end(demo, from, '/api/scheduled-payments', note, endsAs);
}

/** Pauses or cancels what is not to go on; quietly nothing where that was done. */
async function end(
  demo: Demo,
  from: DemoName,
  path: string,
  note: string,
  endsAs: Plan['endsAs'],
): Promise<void> {
  if (endsAs === undefined) return;
  const payer = await demo.person(from);
  const found = (await payer.list<ListedSchedule>(path)).find(({ description }) => description === note);
  if (found && found.status !== endsAs)
    await payer.call('PATCH', `${path}/${found.id}/status`, { status: endsAs });
}
