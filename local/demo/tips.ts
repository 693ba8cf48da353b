/** Some weeks' worth of tips: by card and Cash App, with notes, one declined, one given back in part. */
import type { Chapter, Demo } from './chapter.js';
import type { DemoName } from './people.js';
import { DECLINED_CARD, GOOD_CARD } from './till.js';

export interface Tip {
  readonly daysAgo: number;
  readonly from: DemoName;
  readonly to: DemoName;
  readonly amount: string;
  readonly note?: string;
  readonly by?: 'cashapp' | 'declined card';
  /** What is given back of it, in cents. */
  readonly backMinor?: number;
}

const tip = (
  daysAgo: number,
  from: DemoName,
  to: DemoName,
  amount: string,
  note?: string,
  more: Partial<Tip> = {},
): Tip => ({
  daysAgo,
  from,
  to,
  amount,
  ...(note === undefined ? {} : { note }),
  ...more,
});
const CASH = { by: 'cashapp' } as const;

/** Each goes out under a key made of its day, its people and its amount: no two may share all of these. */
export const TIPS: readonly Tip[] = [
  tip(41.3, 'lantern', 'juno', '350.00', 'Opening night, two sets'),
  tip(41.2, 'wren', 'juno', '10.00', 'The slow one, please, every week'),
  tip(41.1, 'marlow', 'juno', '5.00', undefined, CASH),
  tip(38.4, 'imani', 'teodor', '20.00', 'I still do not know where the coin went'),
  tip(36.2, 'petra', 'odalys', '15.00', 'Thank you for the encore'),
  tip(34.3, 'lantern', 'odalys', '280.00', 'Sunday matinee'),
  tip(34.2, 'wren', 'odalys', '20.00'),
  tip(33.9, 'juno', 'odalys', '25.00', 'For the duet. Same time next month?'),
  tip(31.1, 'marlow', 'nell', '10.00', 'My sister laughed, which never happens', CASH),
  tip(28.2, 'imani', 'juno', '36.25', 'Rounded up for the request'),
  tip(27.4, 'lantern', 'juno', '450.00', 'Wedding at the hall'),
  tip(27.3, 'petra', 'juno', '20.00', 'From table nine'),
  tip(27.3, 'marlow', 'juno', '11.00'),
  tip(25.5, 'wren', 'teodor', '5.00', undefined, CASH),
  tip(24.1, 'teodor', 'juno', '40.00', 'Page turner, at last paid'),
  tip(22.2, 'petra', 'nell', '20.00', 'The bit about the elevator'),
  tip(20.3, 'lantern', 'nell', '220.00', 'Thursday late show'),
  tip(20.2, 'imani', 'nell', '5.00'),
  tip(18.2, 'marlow', 'juno', '16.00', 'For the last song', { by: 'declined card' }),
  tip(18.1, 'marlow', 'juno', '16.00', 'For the last song'),
  tip(17.4, 'wren', 'juno', '12.50', 'For the strings you broke', CASH),
  tip(15.2, 'petra', 'odalys', '50.00', 'For the band', { backMinor: 20_00 }),
  tip(14.3, 'lantern', 'teodor', '180.00', 'Children’s afternoon'),
  tip(13.2, 'imani', 'odalys', '10.00', 'That low note'),
  tip(13.1, 'marlow', 'odalys', '20.00', undefined, CASH),
  tip(10.2, 'wren', 'juno', '20.00', 'Happy birthday, piano'),
  tip(9.4, 'juno', 'nell', '15.00', 'You had me at hello'),
  tip(8.2, 'lantern', 'juno', '350.00', 'Friday, two sets'),
  tip(8.1, 'petra', 'juno', '10.00', 'More of the blue one'),
  tip(8.1, 'imani', 'juno', '5.00', undefined, CASH),
  tip(6.3, 'wren', 'nell', '10.00'),
  tip(6.2, 'odalys', 'juno', '30.00', 'Rehearsal room, my half'),
  tip(5.1, 'marlow', 'teodor', '20.00', 'Card trick of the year'),
  tip(4.2, 'juno', 'teodor', '5.00', 'For the sleeve'),
  tip(3.3, 'petra', 'juno', '50.00', 'For the new microphone', CASH),
  tip(2.1, 'lantern', 'odalys', '310.00', 'Saturday headline'),
  tip(2.0, 'imani', 'odalys', '20.00', 'Goosebumps'),
  tip(1.3, 'juno', 'odalys', '15.00', 'Well sung'),
  tip(1.1, 'marlow', 'juno', '5.00', 'From the back row'),
  tip(0.9, 'petra', 'nell', '10.00', undefined, CASH),
  tip(0.13, 'lantern', 'juno', '350.00', 'Friday, two sets'),
  tip(0.02, 'wren', 'juno', '20.00', 'That last song!'),
];

export const tips: Chapter = {
  name: 'tips',
  run: (demo) => demo.forEach(TIPS, (each) => give(demo, each)),
};

async function give(demo: Demo, { daysAgo, from, to, amount, note, by, backMinor }: Tip): Promise<void> {
  const [payer, recipient] = [await demo.person(from), await demo.person(to)];
  const body = {
    toUserId: recipient.id,
    amount,
    description: note ?? null,
    paymentMethod: by === 'cashapp' ? by : 'card',
  };
  const key = demo.keyOf(`tip ${from} ${to} ${amount} ${daysAgo}`);
  const { clientSecret } = (await payer.call('POST', '/api/create-payment-intent', body, key)) as {
    clientSecret: string;
  };
  const how = by === 'cashapp' ? by : { card: by === 'declined card' ? DECLINED_CARD : GOOD_CARD };
  await demo.till.pay(clientSecret, how, demo.daysAgo(daysAgo));
  if (backMinor !== undefined) await demo.till.refund(clientSecret, backMinor);
}
