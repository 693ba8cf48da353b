import { expect, it } from '@jest/globals';
import { escaped } from './html.js';

it('escapes what ends a text or an attribute of HTML, and nothing else', () => {
  expect(escaped(`<b title="a" id='b'>&amp;`)).toBe('&lt;b title=&quot;a&quot; id=&#39;b&#39;&gt;&amp;amp;');
  expect(escaped('Olé – 5 € / `x`')).toBe('Olé – 5 € / `x`');
});
