/**
 * Why a row is in a search: what was looked for, marked in the name, the note or the amount, or the username
 * named.
 */
import { createContext, use, type ReactNode } from 'react';
import type { Transaction } from '#contracts/api/payments';
import { searchedAmount } from '#contracts/plain/searched-amount';
import { TransactionAmount } from '../transactions/TransactionRow.js';
import { nameOf } from '../transactions/transactions.js';

/** What is looked for; empty for nothing. */
const Search = createContext('');
export const SearchProvider = Search.Provider;
const useSearched = (): string => use(Search);

/** Where a text holds another, in either case of its letters: every second piece is a match. */
export function piecesOf(text: string, searched: string): readonly string[] {
  if (searched === '') return [text];
  const [whole, part] = [text.toLowerCase(), searched.toLowerCase()];
  // Letters that grow in lower case would shift what follows them.
  if (whole.length !== text.length) return [text];
  const pieces: string[] = [];
  let end = 0;
  for (let at = whole.indexOf(part); at !== -1; at = whole.indexOf(part, end)) {
    pieces.push(text.slice(end, at), text.slice(at, at + part.length));
    end = at + part.length;
  }
  return [...pieces, text.slice(end)];
}

/** A text of a row, with what is looked for marked in it. */
function Marked({ children }: { readonly children: string }): ReactNode {
  const pieces = piecesOf(children, useSearched());
  return pieces.map((piece, index) =>
    index % 2 === 1 ? <mark key={index}>{piece}</mark> : <span key={index}>{piece}</span>,
  );
}

/** Of a row that matches by what it does not show otherwise: the username. Undefined for any other. */
export function hiddenMatch(row: Transaction, searched: string): string | undefined {
  const { counterpartyUsername: username, description, amount } = row;
  const holds = (text: string | null): boolean =>
    text?.toLowerCase().includes(searched.toLowerCase()) ?? false;
  const decimal = searchedAmount(searched);
  if (searched === '' || username === null || holds(nameOf(row)) || holds(description)) return undefined;
  if (decimal !== undefined && amount.startsWith(decimal)) return undefined;
  return holds(username) ? `@${username}` : undefined;
}

const mark = (text: string): ReactNode => <Marked>{text}</Marked>;
const asItIs = (text: string): ReactNode => text;

/** How the texts and the amount of a row are drawn under the search that is looked for. */
export function useMarks(
  row: Transaction,
  isHidden: boolean,
): {
  readonly mark: (text: string) => ReactNode;
  readonly why: ReactNode;
  readonly amount: ReactNode;
} {
  const searched = useSearched();
  const amount = <TransactionAmount transaction={row} isHidden={isHidden} />;
  if (searched === '') return { mark: asItIs, why: null, amount };
  const username = hiddenMatch(row, searched);
  const decimal = searchedAmount(searched);
  const isFound = !isHidden && decimal !== undefined && row.amount.startsWith(decimal);
  return {
    mark,
    why: username === undefined ? null : <div className="why">{mark(username)}</div>,
    amount: isFound ? <mark>{amount}</mark> : amount,
  };
}
