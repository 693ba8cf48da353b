import { expect, it } from '@jest/globals';
import { Figures } from './figures.js';

it('leaves out a figure that cannot be read at this scrape, and says the rest', async () => {
  const figures = new Figures();
  let due: number | undefined = 3;
  const read = (): Promise<number> =>
    due === undefined ? Promise.reject(new Error('away')) : Promise.resolve(due);
  figures.gauge('encore_due', 'What is due', read);
  figures.gauges('encore_put_off', 'What is put off', ['code'], async () => [
    [{ code: 'late' }, await read()],
  ]);
  figures.counter('encore_done_total', 'What is done').inc();
  const before = await figures.registry.metrics();
  expect(before).toMatch(/^encore_due 3$/m);
  expect(before).toMatch(/^encore_put_off\{code="late"\} 3$/m);
  due = undefined;
  const after = await figures.registry.metrics();
  expect(after).not.toMatch(/^encore_(due|put_off)[ {]/m);
  expect(after).toMatch(/^encore_done_total 1$/m);
});
