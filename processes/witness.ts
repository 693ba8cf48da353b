/**
 * A witness of somebody's published tree, on another machine and under another's control:
 *
 *     encore witness URL --key VERIFIER-KEY --name NAME --state FOLDER [--every SECONDS] [--admit TREE]
 *
 * It looks each minute at the head that is published at URL, refuses one that does not extend what it saw,
 * and signs the others. Its own key and what it saw last lie in FOLDER. Without --every it looks once, and
 * exits with 0, with 1 where it refuses the head, or with 2 where it could not look.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Command, CommanderError } from 'commander';
import { treeAt } from '#audit/transparency/tree-at';
import { HeadRefused, Witness } from '#audit/transparency/witness';
import { NoteRefused, signerFrom, verifierFrom, type Signer } from '#log/transparency/note';
import { CannotRun, runCommand, type Verdict } from './shell/command.js';

interface Options {
  readonly key: string;
  readonly name: string;
  readonly state: string;
  readonly every?: string;
  readonly admit?: string;
}

/** The witness' own key, made at its first start and never again. */
function signerIn(folder: string, name: string): Signer {
  const file = join(folder, 'key');
  if (!existsSync(file)) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(file, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600 });
  }
  return signerFrom(name, readFileSync(file, 'utf8').trim(), 'witness');
}

const tell = (sentence: string): void =>
  void process.stdout.write(`${new Date().toISOString()} ${sentence}\n`);

/** Looks once; answers whether the head was taken. */
async function look(witness: Witness, url: string, admit?: string): Promise<Verdict> {
  try {
    const { size, origin, cosigned } = await witness.look(treeAt(url), admit);
    return {
      status: 0,
      lines: [`${origin}: ${size} events, which extend what was seen.`, cosigned.trimEnd()],
    };
  } catch (error) {
    if (!(error instanceof HeadRefused)) throw error;
    return { status: 1, lines: [error.message] };
  }
}

async function witness(words: readonly string[]): Promise<Verdict> {
  const command = new Command('encore witness')
    .argument('<url>', 'where the tree is published, such as https://encore.example/transparency')
    .requiredOption('--key <verifier-key>', 'the public key of the tree, from elsewhere than that address')
    .requiredOption('--name <name>', 'the name of this witness, such as witness.example/one')
    .requiredOption('--state <folder>', 'where this witness keeps its own key and what it saw')
    .option('--every <seconds>', 'look again and again')
    .option(
      '--admit <tree>',
      'take this tree in place of the one seen so far, because its operator has said why',
    )
    .configureOutput({ writeErr: () => undefined })
    .exitOverride();
  try {
    command.parse(words, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError && error.code === 'commander.helpDisplayed')
      return { status: 0, lines: [] };
    throw error instanceof CommanderError
      ? new CannotRun(
          `${error.message.replace(/^error: /, '')}. "encore witness --help" says how it is called.`,
        )
      : error;
  }
  const { key, name, state, every, admit } = command.opts<Options>();
  const seconds = every === undefined ? undefined : Number(every);
  if (seconds !== undefined && !(seconds >= 1))
    throw new CannotRun(`--every is ${every}: it must be a number of seconds.`);
  let parts;
  try {
    parts = { folder: state, signer: signerIn(state, name), treeKey: verifierFrom(key) };
  } catch (error) {
    throw error instanceof NoteRefused ? new CannotRun(error.message) : error;
  }
  const url = command.args[0]!;
  const one = new Witness(parts);
  if (seconds === undefined) return look(one, url, admit);
  tell(`This witness’ key: ${parts.signer.verifier.text}`);
  for (let admitted = admit; ; admitted = undefined) {
    try {
      const { status, lines } = await look(one, url, admitted);
      tell(`${status === 0 ? '' : 'REFUSED: '}${lines[0]}`);
    } catch (error) {
      tell(`The tree could not be read: ${error instanceof Error ? error.message : String(error)}`);
    }
    await pause(seconds * 1_000);
  }
}

await runCommand('The tree could not be looked at', witness);
