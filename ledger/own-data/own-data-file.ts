/**
 * A person's own data as the text of one JSON file, written page by page: however long a list is, memory is
 * not.
 */

/** One part of the file: something that is read whole, or a list that is read in pages while it is sent. */
export type OwnDataPart =
  | { readonly name: string; readonly value: unknown }
  | { readonly name: string; readonly pages: AsyncIterable<readonly object[]> };

/** What is known of a person; filled in processes/ledger/own-data.ts. */
export abstract class OwnData {
  /**
   * The parts in the order of the file. What is not in pages has been read when it resolves. Throws what the
   * stores and the card provider do, and a refusal for somebody who is not known (yet).
   */
  abstract partsOf(userId: string): Promise<readonly OwnDataPart[]>;
}

const LINE = '\n    ';

/** The file, as chunks of text. Throws what a page does; what was sent by then is no whole JSON text. */
export async function* ownDataText(parts: readonly OwnDataPart[]): AsyncGenerator<string> {
  let before = '{';
  for (const part of parts) {
    yield `${before}\n  ${JSON.stringify(part.name)}: `;
    if ('pages' in part) yield* listText(part.pages);
    else yield JSON.stringify(part.value, undefined, 2).replaceAll('\n', '\n  ');
    before = ',';
  }
  yield parts.length === 0 ? '{}\n' : '\n}\n';
}

async function* listText(pages: AsyncIterable<readonly object[]>): AsyncGenerator<string> {
  let isEmpty = true;
  for await (const lines of pages) {
    if (lines.length === 0) continue;
    const text = lines.map((line) => JSON.stringify(line)).join(`,${LINE}`);
    yield `${isEmpty ? '[' : ','}${LINE}${text}`;
    isEmpty = false;
  }
  yield isEmpty ? '[]' : '\n  ]';
}
