/** The page of the queues where its code cannot be loaded. */
import { expect, it } from '@jest/globals';
import { serveQueueBoard } from './queue-board.js';

it('is one clear answer and a log line where it cannot be loaded, and nothing of why to whoever asks', async () => {
  const lines: unknown[] = [];
  const broken = new Error("Cannot find package '@bull-board/api'");
  const board = await serveQueueBoard({
    queues: [],
    port: 0,
    log: { error: (...line: unknown[]) => void lines.push(line) },
    load: () => Promise.reject(broken),
  });
  try {
    // Asked again it is tried again.
    for (const _ of [1, 2]) {
      const answer = await fetch(`http://127.0.0.1:${board.port}/`);
      expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([
        500,
        'text/plain; charset=utf-8',
        'The page of the queues could not be loaded: the log of the workers says why. The jobs run on.\n',
      ]);
    }
    const line = [{ err: broken }, 'the page of the queues could not be loaded'];
    expect(lines).toEqual([line, line]);
  } finally {
    await board.close();
  }
});
