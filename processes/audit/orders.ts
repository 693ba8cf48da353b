/** What the audit is asked to do: its command line. */
import { readFileSync } from 'node:fs';
import { SETTINGS } from '#contracts/configuration';
import { CannotRun } from '../shell/command.js';
import { readSettings } from '../shell/settings.js';

const USAGE =
  'Usage: audit verify [--events-only | --log FOLDER] | ' +
  'audit schedules-report [--day YYYY-MM-DD | --day all] [--now TIME] [--log FOLDER] | ' +
  'audit provider | audit copy [--from URL | --from-file FILE] (--to URL | --to-file FILE)';

type Order =
  /** `folder`: that of an exported log, which is read instead of the event store. */
  | { readonly verb: 'verify'; readonly eventsOnly: boolean; readonly folder?: string | undefined }
  | {
      readonly verb: 'schedules-report';
      readonly day: string;
      readonly now: Date;
      readonly folder?: string | undefined;
    }
  | { readonly verb: 'provider' }
  | { readonly verb: 'copy'; readonly from: string; readonly to: string };

/** What the words on the command line ask for. Throws {@link CannotRun} and BadSetting. */
export function orderFrom(words: readonly string[]): Order {
  const [verb, ...options] = words;
  if (verb === undefined) throw new CannotRun(USAGE);
  if (verb === 'schedules-report') return scheduleOrder(options);
  if (verb === 'copy') return copyOrder(options);
  if (verb === 'provider' && options.length === 0) return { verb };
  if (verb !== 'verify') throw new CannotRun(`"${verb}" is not something the audit does. ${USAGE}`);
  if (options[0] === '--log')
    return { verb, eventsOnly: true, folder: valuesOf(verb, ['--log'], options).get('--log') };
  const unknown = options.find((option) => option !== '--events-only');
  if (unknown !== undefined) throw new CannotRun(`"${unknown}" is not an option of verify. ${USAGE}`);
  return { verb, eventsOnly: options.includes('--events-only') };
}

function valuesOf(verb: string, known: readonly string[], options: readonly string[]): Map<string, string> {
  const given = new Map<string, string>();
  for (let at = 0; at < options.length; at += 2) {
    const [name = '', value] = options.slice(at, at + 2);
    if (!known.includes(name)) throw new CannotRun(`"${name}" is not an option of ${verb}. ${USAGE}`);
    if (value === undefined) throw new CannotRun(`${name} needs a value. ${USAGE}`);
    given.set(name, value);
  }
  return given;
}

function copyOrder(options: readonly string[]): Order {
  const given = valuesOf('copy', ['--from', '--from-file', '--to', '--to-file'], options);
  const urlOf = (end: '--from' | '--to'): string | undefined => {
    const file = given.get(`${end}-file`);
    const url = given.get(end);
    if (file !== undefined && url !== undefined)
      throw new CannotRun(`Give either ${end} or ${end}-file. ${USAGE}`);
    const written = file === undefined ? url : contentOf(file);
    if (written !== undefined && !SETTINGS.EVENTSTORE_URL.schema.safeParse(written).success)
      throw new CannotRun(
        `${file === undefined ? end : `What ${file} holds`} must be a URL that begins with esdb://.`,
      );
    return written;
  };
  const to = urlOf('--to');
  if (to === undefined) throw new CannotRun(`Say where to copy to. ${USAGE}`);
  return { verb: 'copy', from: urlOf('--from') ?? readSettings(['EVENTSTORE_URL']).EVENTSTORE_URL, to };
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    throw new CannotRun(`${file} cannot be read.`);
  }
}

function scheduleOrder(options: readonly string[]): Order {
  const given = valuesOf('schedules-report', ['--day', '--now', '--log'], options);
  const now = given.has('--now') ? new Date(given.get('--now') ?? '') : new Date();
  if (Number.isNaN(now.getTime())) throw new CannotRun(`"${given.get('--now')}" is not a time. ${USAGE}`);
  const day = given.get('--day') ?? now.toISOString().slice(0, 10);
  const isDay = /^\d{4}-\d\d-\d\d$/.test(day) && new Date(`${day}T00:00:00Z`).toString() !== 'Invalid Date';
  if (day !== 'all' && !isDay) throw new CannotRun(`"${day}" is not a day. ${USAGE}`);
  return { verb: 'schedules-report', day, now, folder: given.get('--log') };
}
