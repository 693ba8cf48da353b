/**
 * What is proven beyond `make test`, in parts of less than an hour on two idle cores. A step is one command;
 * it counts what passed in its last line, as `make test` and `make simulate` do.
 */
import { SHORT_LIVED } from '#test/support/compiled-programs';

/** One command, run once. */
export interface Step {
  readonly id: string;
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Whether another process keeps every core busy meanwhile. */
  readonly isBusy: boolean;
}
/** Steps that are run together, and what they show. */
export interface Part {
  readonly name: string;
  readonly shows: string;
  readonly steps: readonly Step[];
}

const SEEDS = 1_000;
const SEEDS_A_STEP = 250;
const TAMPERINGS = 10_000;
const TAMPERINGS_A_STEP = 2_500;
const RECONCILED_SEEDS = 4_000;
const RECONCILED_A_STEP = 500;
const SLOW_SEEDS = 5;

/** How much suites look at that look at a part in `make test`, and for how long an event store is away. */
const MORE_SEEDS = {
  HISTORIES: '100',
  STORIES: '3',
  OUTAGE_SECONDS: '30',
  JOB_SEEDS: '1000',
  GUESTS: '100000',
  WHOLE: 'yes',
};

/** Suites that take a sample in `make test` (test/support/sample.ts), beside those that kill processes. */
const SAMPLED_SUITES = [
  'test/e2e/webhooks',
  'test/e2e/payouts',
  'test/e2e/limits',
  'processes/shell/shell',
  'test/e2e/closed-month',
  'ledger/stripe/answers',
  'projections/schedules/year',
  'projections/engine/parking',
  'test/e2e/slow-sockets',
  'test/e2e/step-up',
  'test/simulator/recovery',
  'test/checks',
];
/** Suites that look at every state of a screen at a few widths. */
const LOOKING_SUITES = ['test/browser/'];

/** Suites that kill processes, cut power or connections, and look at what is left. */
const CRASH_SUITES = [
  'test/e2e/crash',
  'test/e2e/payout-crash',
  'test/e2e/ledgers',
  'test/e2e/outage',
  'test/e2e/twofold',
  'test/e2e/simulated',
  'test/conformance/eventstore-durability',
  'test/conformance/stripe-durability',
  'projections/engine/rebuild',
  'processes/processes',
];

const JEST = ['node_modules/.bin/jest'];
const JEST_ENV = {
  NODE_OPTIONS: `--experimental-vm-modules --disable-warning=ExperimentalWarning ${SHORT_LIVED}`,
};
const jest = (...args: readonly string[]): Work => ({ command: [...JEST, ...args], env: JEST_ENV });
const suites = (...patterns: readonly string[]): Work =>
  jest('--selectProjects', 'node', '--testPathPatterns', ...patterns);

const withEnv = ({ command, env }: Work, more: Readonly<Record<string, string>>): Work => ({
  command,
  env: { ...env, ...more },
});
const withMoreSeeds = (work: Work): Work => withEnv(work, MORE_SEEDS);

/** At the pace of real nodes. */
const withTenRounds = ({ command, env }: Work): Work => ({
  command,
  env: { ...env, ROUNDS: '10', PACE: '1', WHOLE: 'yes' },
});

type Work = Pick<Step, 'command' | 'env'>;

/** The same work, a number of times. */
function rounds(name: string, from: number, to: number, isBusy: boolean, work: Work): Step[] {
  return Array.from({ length: to - from + 1 }, (_, n) => ({ id: `${name} ${from + n}`, isBusy, ...work }));
}

const wholeSuite: Work = { command: ['make', 'test'], env: { AGAIN: 'no' } };
/** `make test` runs them as one a folder (test/together): here each with fresh modules. */
const pureSuitesAlone: Work = { command: ['make', 'check'], env: { TOGETHER: 'no' } };
/** And many of these as one a stack: here each with its own. */
const stackSuitesAlone = suites('[.](int|e2e)[.]spec[.]ts$');
const browsers = suites('test/browser/');
const components = withEnv(jest('--selectProjects', 'web'), { WHOLE: 'yes' });
const slowComponents = withEnv(jest('--config', 'test/prove/slow-machine.config.mjs'), { WHOLE: 'yes' });

export const PARTS: readonly Part[] = [
  {
    name: 'seeds',
    shows: `${SEEDS} stories of the simulator leave the books right`,
    steps: Array.from({ length: SEEDS / SEEDS_A_STEP }, (_, n) => ({
      id: `seeds ${n * SEEDS_A_STEP + 1} to ${(n + 1) * SEEDS_A_STEP}`,
      command: ['node', 'dist/test/simulator/main.js'],
      env: { FROM: String(n * SEEDS_A_STEP + 1), SEEDS: String(SEEDS_A_STEP) },
      isBusy: false,
    })),
  },
  {
    name: 'provider',
    shows: `${SEEDS} stories of a hostile provider, five a test: nothing is booked twice, nobody is stopped`,
    steps: Array.from({ length: SEEDS / SEEDS_A_STEP }, (_, n) => ({
      id: `provider ${n * SEEDS_A_STEP + 1} to ${(n + 1) * SEEDS_A_STEP}`,
      ...jest('--selectProjects', 'node', '--testPathPatterns', 'test/simulator/hostile'),
      env: {
        ...JEST_ENV,
        HOSTILE_FROM: String(n * SEEDS_A_STEP + 1),
        HOSTILE_SEEDS: String(SEEDS_A_STEP),
      },
      isBusy: false,
    })),
  },
  {
    name: 'recovery',
    shows: `${SEEDS} stories whose log loses any of its end are right again, with an archive and without, a recovery killed in each`,
    steps: ['archive', 'bare'].flatMap((loss) =>
      Array.from({ length: SEEDS / SEEDS_A_STEP }, (_, n) => ({
        id: `recovery ${loss} ${n * SEEDS_A_STEP + 1} to ${(n + 1) * SEEDS_A_STEP}`,
        command: ['node', 'dist/test/simulator/main.js'],
        env: { LOSS: loss, FROM: String(n * SEEDS_A_STEP + 1), SEEDS: String(SEEDS_A_STEP) },
        isBusy: false,
      })),
    ),
  },
  {
    name: 'busy-day',
    shows: 'a busy day of 100,000 payments is lost and won back on real stores, with an archive and without',
    steps: [
      {
        id: 'busy-day',
        command: ['node', 'dist/test/prove/busy-day.js'],
        env: { PAYMENTS: '100000' },
        isBusy: false,
      },
    ],
  },
  {
    name: 'drills',
    shows: 'kills, outages, failovers, backups and recoveries on the whole stack leave the books right',
    steps: [{ id: 'drills', isBusy: false, ...withMoreSeeds(suites('[.]drill[.]spec[.]ts$')) }],
  },
  {
    name: 'crashes',
    shows: 'the suites that kill processes, ten times',
    steps: rounds('crashes', 1, 10, false, withMoreSeeds(suites(...CRASH_SUITES))),
  },
  {
    name: 'failover',
    shows:
      'three nodes lose their leader in five ways, ten times each, and ten stories more, while money moves',
    steps: [{ id: 'failover', isBusy: false, ...withTenRounds(suites('test/e2e/failover')) }],
  },
  {
    name: 'histories',
    shows: 'a hundred random histories of the journal agree with a small model of it',
    steps: rounds(
      'histories',
      1,
      1,
      false,
      withMoreSeeds(suites('ledger/journal/histories', 'ledger/tip-pages/guests')),
    ),
  },
  {
    name: 'jobs',
    shows: 'a thousand worlds of slow and failing items in which no job, mark or sound item waits for them',
    steps: rounds('jobs', 1, 1, false, withMoreSeeds(suites('workers/jobs/fairness'))),
  },
  {
    name: 'closed-accounts',
    shows: 'a thousand random histories leave no money on a closed account',
    steps: [
      {
        id: 'closed-accounts 1 to 1000',
        isBusy: false,
        ...withEnv(suites('ledger/journal/closed-accounts'), { HISTORIES: '1000' }),
      },
    ],
  },
  {
    name: 'reconcile',
    shows: `${RECONCILED_SEEDS} seeded accounts at a provider and a bank: each planted error is found, and no other`,
    steps: Array.from({ length: RECONCILED_SEEDS / RECONCILED_A_STEP }, (_, n) => ({
      id: `reconcile ${n * RECONCILED_A_STEP + 1} to ${(n + 1) * RECONCILED_A_STEP}`,
      isBusy: false,
      ...withEnv(suites('audit/reconcile/'), {
        RECONCILE_FROM: String(n * RECONCILED_A_STEP + 1),
        RECONCILE_SEEDS: String(RECONCILED_A_STEP),
      }),
    })),
  },
  {
    name: 'anchors',
    shows: 'Go’s sumdb/note and sumdb/tlog check our signed head, tiles, receipts and proofs of growth',
    steps: [{ id: 'anchors', command: ['node', 'dist/test/anchors/main.js'], isBusy: false }],
  },
  {
    name: 'widths',
    shows:
      'nothing on a screen is cut, covered, broken or out of its box at any width, every 40 px from 320 to 1920',
    steps: [
      {
        id: 'widths 320 to 1920',
        isBusy: false,
        ...withEnv(suites('test/browser/screens'), { WIDTHS: 'every' }),
      },
    ],
  },
  {
    name: 'whole',
    shows:
      'all of what `make test` takes a sample of: each hostile value in each field, each width of each state; suites one by one',
    steps: [
      { id: 'whole suites', isBusy: false, ...withMoreSeeds(suites(...SAMPLED_SUITES)) },
      { id: 'whole screens', isBusy: false, ...withMoreSeeds(suites(...LOOKING_SUITES)) },
      { id: 'whole alone', isBusy: false, ...pureSuitesAlone },
      { id: 'whole stacks', isBusy: false, ...stackSuitesAlone },
    ],
  },
  {
    name: 'tampering',
    shows: `${TAMPERINGS} random acts of tampering with a log are found, by verify or by a head signed before`,
    steps: Array.from({ length: TAMPERINGS / TAMPERINGS_A_STEP }, (_, n) => ({
      id: `tampering ${n * TAMPERINGS_A_STEP + 1} to ${(n + 1) * TAMPERINGS_A_STEP}`,
      isBusy: false,
      ...withEnv(suites('test/tampering/random'), {
        TAMPERING_FROM: String(n * TAMPERINGS_A_STEP + 1),
        TAMPERINGS: String(TAMPERINGS_A_STEP),
      }),
    })),
  },
  {
    name: 'tests',
    shows: 'make test, five times, idle',
    steps: rounds('tests', 1, 5, false, wholeSuite),
  },
  {
    name: 'tests-busy-1',
    shows: 'make test while all cores are busy, runs 1 to 3 of five',
    steps: rounds('tests-busy', 1, 3, true, wholeSuite),
  },
  {
    name: 'tests-busy-2',
    shows: 'make test while all cores are busy, runs 4 and 5 of five',
    steps: rounds('tests-busy', 4, 5, true, wholeSuite),
  },
  ...inParts('browsers', 'the browser suites', 20, 10, false, browsers),
  ...inParts('browsers-busy', 'the browser suites while all cores are busy', 20, 5, true, browsers),
  ...inParts('components', 'the component suites', 20, 20, false, components),
  {
    name: 'slow-components',
    shows: `the component suites while answers, timers, frames and parts of the app come late, in ${SLOW_SEEDS} ways`,
    steps: Array.from({ length: SLOW_SEEDS }, (_, n) => ({
      id: `slow-components ${n + 1}`,
      isBusy: false,
      ...withEnv(slowComponents, { SLOW_SEED: String(n + 1) }),
    })),
  },
  ...inParts('components-busy', 'the component suites while all cores are busy', 20, 10, true, components),
];

/** So many rounds, a number of them in each part. */
function inParts(
  name: string,
  what: string,
  times: number,
  inPart: number,
  isBusy: boolean,
  work: Work,
): Part[] {
  return Array.from({ length: times / inPart }, (_, n) => {
    const [from, to] = [n * inPart + 1, (n + 1) * inPart];
    return {
      name: times === inPart ? name : `${name}-${n + 1}`,
      shows: `${what}, ${from === 1 && to === times ? `${times} times` : `runs ${from} to ${to} of ${times}`}`,
      steps: rounds(name, from, to, isBusy, work),
    };
  });
}
