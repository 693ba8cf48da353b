/**
 * The demo that `make start` sets up on first start: people and what they did over some weeks, through the
 * app's own API and the stand-ins' public pages. Finished chapters are noted in the data folder; a chapter
 * that comes with an update of Encore is added at the next start.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Demo, type Chapter } from './chapter.js';
import { ownMoney } from './own-money.js';
import { bankAccounts, payouts } from './payouts.js';
import { PASSWORD, PEOPLE } from './people.js';
import { savedCards } from './saved-cards.js';
import { schedules } from './schedules.js';
import { signUps } from './sign-ups.js';
import type { TillSettings } from './till.js';
import { tips } from './tips.js';
import { tipPages } from './tip-pages.js';
import { treasury } from './treasury.js';

/** In the order in which they run. A new one is a file beside these, and a line here. */
export const CHAPTERS: readonly Chapter[] = [
  signUps,
  tips,
  savedCards,
  schedules,
  ownMoney,
  bankAccounts,
  payouts,
  treasury,
  tipPages,
];

export interface DemoSettings {
  readonly dataFolder: string;
  readonly publicUrl: string;
  readonly till: Omit<TillSettings, 'returnUrl' | 'signal'>;
}

interface DemoProgress {
  readonly begunAt: string;
  readonly chapters: readonly string[];
}

const fileOf = (dataFolder: string): string => join(dataFolder, 'demo.json');

function progressOf(dataFolder: string): DemoProgress | undefined {
  const file = fileOf(dataFolder);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as DemoProgress) : undefined;
}

function keepProgress(dataFolder: string, progress: DemoProgress): void {
  const file = fileOf(dataFolder);
  writeFileSync(`${file}.unfinished`, `${JSON.stringify(progress, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.unfinished`, file);
}

/** Whether the data folder has the whole demo. */
export function isDemoComplete(dataFolder: string): boolean {
  const chapters = progressOf(dataFolder)?.chapters ?? [];
  return CHAPTERS.every(({ name }) => chapters.includes(name));
}

/**
 * Runs the chapters that are not finished. Throws what went wrong; called again it goes on and doubles
 * nothing.
 */
export async function setUpDemo(
  { dataFolder, publicUrl, till }: DemoSettings,
  signal: AbortSignal,
): Promise<void> {
  let progress = progressOf(dataFolder) ?? { begunAt: new Date().toISOString(), chapters: [] };
  // Before the first command: its keys derive from this.
  keepProgress(dataFolder, progress);
  const demo = new Demo(publicUrl, new Date(progress.begunAt), till, signal);
  for (const { name, run } of CHAPTERS.filter(({ name }) => !progress.chapters.includes(name))) {
    await run(demo);
    progress = { ...progress, chapters: [...progress.chapters, name] };
    keepProgress(dataFolder, progress);
  }
}

/** Who can sign in, for the terminal. */
export function signInList(): string {
  const people = Object.values(PEOPLE);
  const widest = Math.max(...people.map(({ email }) => email.length));
  const lines = people.map(
    ({ email, firstName, lastName, does }) => `    ${email.padEnd(widest)}  ${firstName} ${lastName} ${does}`,
  );
  return `  Sign in as somebody of the demo, or sign up. Their password: ${PASSWORD}\n\n${lines.join('\n')}\n`;
}
