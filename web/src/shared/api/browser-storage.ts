/** What the browser keeps, where it keeps anything: its storage may be missing, full or refused. */

/** Without storage there is nothing to keep, and nothing to forget. */
export function withStorage<Value>(act: () => Value, otherwise: Value): Value {
  try {
    return act();
  } catch {
    return otherwise;
  }
}
