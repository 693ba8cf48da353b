/** An audit may run beside what it audits: it takes memory sparingly, for a little more of a core. */
import { setFlagsFromString } from 'node:v8';

/**
 * Lets the heap grow by a fifth between full collections, where V8 would let it double and more. Called once,
 * before a log is read: what a log of a million entries leaves behind as garbage is then tens of megabytes
 * less at a time.
 */
export function growSparingly(): void {
  setFlagsFromString('--heap-growing-percent=20');
}
