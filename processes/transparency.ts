/**
 * The process that publishes the tree over the log and signs its head: `encore transparency`. With
 * `--new-tree`, while it does not run, the operator begins a new tree, because the log does not extend the
 * former one: the former stays published under `epoch-N`.
 */
import { mkdir } from 'node:fs/promises';
import { FolderInUse, FolderLock } from '#audit/exported-log/folder-lock';
import { beginEpoch, originOf } from '#audit/transparency/epoch';
import { TreeSigner, type SignerState } from '#audit/transparency/tree-signer';
import { BadSetting } from '#contracts/configuration';
import { inTime } from '#contracts/plain/in-time';
import { readyUnless } from '#edge/health';
import { EsdbLog } from '#log/esdb';
import { NoteRefused, signerFrom, type Signer } from '#log/transparency/note';
import { CannotRun, runCommand, type Verdict } from './shell/command.js';
import { Figures } from './shell/figures.js';
import { countsFollowerDrops } from './shell/follower-drops.js';
import { openHealthPort } from './shell/health-port.js';
import { logOf, serve, type RunningProcess } from './shell/serve.js';
import { readSettings } from './shell/settings.js';
import { notesStates, StoreTroubleNote } from './shell/store-trouble.js';
import { NAMES } from './transparency/settings.js';

/** How long closing connections may take at the end. */
const CLOSE_WITHIN_MS = 2_000;

/** What is said of each state; only `live` is ready. */
function sentenceOf(state: SignerState): string {
  switch (state.status) {
    case 'starting':
      return 'The published tree is read.';
    case 'comparing':
      return 'The log is read from its first event and compared with the published tree.';
    case 'live':
      return 'The head of the tree is signed from time to time.';
    case 'waiting':
      return `The tree waits: ${state.why}`;
    case 'stopped':
      return `Nothing is signed. It is looked at again from time to time. ${state.why}`;
  }
}

/** The key and its name: the tree's, which is its address without https:// unless a setting names it. */
function signerOf(settings: {
  readonly TRANSPARENCY_KEY: string;
  readonly TRANSPARENCY_NAME?: string | undefined;
  readonly PUBLIC_URL: string;
}): Signer {
  const name = settings.TRANSPARENCY_NAME ?? `${new URL(settings.PUBLIC_URL).host}/transparency`;
  try {
    return signerFrom(name, settings.TRANSPARENCY_KEY);
  } catch (error) {
    throw error instanceof NoteRefused ? new BadSetting(`TRANSPARENCY_NAME: ${error.message}`) : error;
  }
}

function folderOf({
  ENCORE_TRANSPARENCY: folder,
}: {
  readonly ENCORE_TRANSPARENCY?: string | undefined;
}): string {
  if (folder === undefined)
    throw new BadSetting('ENCORE_TRANSPARENCY is not set: it names the folder of the published tree.');
  return folder;
}

async function start(): Promise<RunningProcess> {
  const settings = readSettings(NAMES);
  const folder = folderOf(settings);
  const signer = signerOf(settings);
  const logger = logOf('transparency', settings);
  const log = EsdbLog.connect(settings.EVENTSTORE_URL);
  const figures = new Figures();
  const storeTrouble = new StoreTroubleNote(log, logger);
  const tree: TreeSigner = new TreeSigner({
    log,
    folder,
    signer,
    everyMs: settings.TRANSPARENCY_EVERY_SECONDS * 1_000,
    onState: notesStates(logger, storeTrouble, sentenceOf),
    onDrop: countsFollowerDrops(figures, logger),
  });
  showProgress(figures, tree);
  const health = await openHealthPort({
    port: settings.TRANSPARENCY_PORT,
    host: settings.TRANSPARENCY_HOST,
    ready: async () =>
      readyUnless(tree.state.status === 'live' ? [] : [storeTrouble.sentence ?? sentenceOf(tree.state)]),
    registry: figures.registry,
    figuresToken: settings.METRICS_TOKEN,
  });
  logger.info({ verifierKey: signer.verifier.text }, 'the public key of the tree');
  tree.start();
  return {
    log: logger,
    ports: { port: health.port },
    async end() {
      await tree.stop();
      storeTrouble.back();
      health.close();
      await inTime<unknown>(CLOSE_WITHIN_MS, log.close(), undefined);
    },
  };
}

/** How far the tree is signed, as figures. */
function showProgress(figures: Figures, tree: TreeSigner): void {
  figures.gauge(
    'encore_transparency_tree_size',
    'Events in the signed head of the tree',
    () => tree.head?.size ?? 0,
  );
  figures.gauge(
    'encore_transparency_unsigned_events',
    'Events that were read and are in no signed head yet',
    () => tree.unsigned,
  );
  const startedAt = new Date();
  figures.gauge(
    'encore_transparency_seconds_since_signed',
    'The age of the last signed note of where the journal ended, or of this process before its first',
    () => (Date.now() - (tree.signedAt ?? startedAt).getTime()) / 1_000,
  );
  figures.gauge(
    'encore_transparency_stopped',
    '1 while the log does not extend the signed head, or the published tree was changed',
    () => Number(tree.state.status === 'stopped'),
  );
}

/** The operator's act: what was published stays, and a new tree begins. */
async function beginNewTree(): Promise<Verdict> {
  const settings = readSettings([
    'ENCORE_TRANSPARENCY',
    'TRANSPARENCY_KEY',
    'TRANSPARENCY_NAME',
    'PUBLIC_URL',
  ]);
  const folder = folderOf(settings);
  const { verifier } = signerOf(settings);
  await mkdir(folder, { recursive: true });
  try {
    const lock = await FolderLock.take(folder);
    try {
      const former = await originOf(folder, verifier.name);
      const epoch = await beginEpoch(folder);
      return {
        status: 0,
        lines: [
          `The tree ${former} has ended; it stays in ${folder}/epoch-${epoch - 1}.`,
          `The next start signs ${await originOf(folder, verifier.name)}. Tell the witnesses’ operators why: each admits it by hand.`,
        ],
      };
    } finally {
      await lock.release();
    }
  } catch (error) {
    throw error instanceof FolderInUse ? new CannotRun(error.message) : error;
  }
}

const words = process.argv.slice(2).join(' ');
if (words === '--new-tree') await runCommand('No new tree was begun', beginNewTree);
else if (words === '') await serve('the tree’s publisher', start);
else
  await runCommand('It could not be done', () =>
    Promise.reject(new CannotRun(`"${words}" is not understood. Usage: encore transparency [--new-tree]`)),
  );
