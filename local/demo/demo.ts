/**
 * The demo that `make start` tells on first start: people and what they did over some weeks, through the
 * app's own API and the stand-ins' public pages. What was told is noted in the data folder, chapter by
 * chapter; an update of Encore that has more to tell adds it at its first start.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Demo, type Chapter } from './chapter.js';
import { bankAccounts, payouts } from './payouts.js';
import { PASSWORD, PEOPLE } from './people.js';
import { savedCards } from './saved-cards.js';
import { schedules } from './schedules.js';
import { signUps } from './sign-ups.js';
import type { TillSettings } from './till.js';
import { tips } from './tips.js';
import { treasury } from './treasury.js';

/** In the order in which they are told. A new one is a file beside these, and a line here. */
export const CHAPTERS: readonly Chapter[] = [
  signUps,
  tips,
  savedCards,
  schedules,
  bankAccounts,
  payouts,
  treasury,
];

export interface DemoSettings {
  readonly dataFolder: string;
  readonly publicUrl: string;
  readonly till: Omit<TillSettings, 'returnUrl' | 'signal'>;
}

interface Told {
  readonly begunAt: string;
  readonly chapters: readonly string[];
}

const fileOf = (dataFolder: string): string => join(dataFolder, 'demo.json');

function told(dataFolder: string): Told | undefined {
  const file = fileOf(dataFolder);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Told) : undefined;
}

function note(dataFolder: string, now: Told): void {
  const file = fileOf(dataFolder);
  writeFileSync(`${file}.unfinished`, `${JSON.stringify(now, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.unfinished`, file);
}

/** Whether the data folder has the whole demo. */
export function isTold(dataFolder: string): boolean {
  const chapters = told(dataFolder)?.chapters ?? [];
  return CHAPTERS.every(({ name }) => chapters.includes(name));
}

/** Tells what is not told yet. Throws what went wrong; called again it goes on and doubles nothing. */
export async function tellDemo(
  { dataFolder, publicUrl, till }: DemoSettings,
  signal: AbortSignal,
): Promise<void> {
  let known = told(dataFolder) ?? { begunAt: new Date().toISOString(), chapters: [] };
  // Before the first command: its keys derive from this.
  note(dataFolder, known);
  const demo = new Demo(publicUrl, new Date(known.begunAt), till, signal);
  for (const { name, tell } of CHAPTERS.filter(({ name }) => !known.chapters.includes(name))) {
    await tell(demo);
    known = { ...known, chapters: [...known.chapters, name] };
    note(dataFolder, known);
  }
}

/** Who can sign in, for the terminal. */
export function signInsShown(): string {
  const people = Object.values(PEOPLE);
  const widest = Math.max(...people.map(({ email }) => email.length));
  const lines = people.map(
    ({ email, firstName, lastName, does }) => `    ${email.padEnd(widest)}  ${firstName} ${lastName} ${does}`,
  );
  return `  Sign in as somebody of the demo, or sign up. Their password: ${PASSWORD}\n\n${lines.join('\n')}\n`;
}
