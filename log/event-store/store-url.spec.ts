/** Which nodes a URL names, and the URL of each. */
import { describe, expect, it } from '@jest/globals';
import { parseStoreUrl } from './store-url.js';

describe('the event store’s URL', () => {
  it('names one node, which is never asked who leads', () => {
    const url = 'esdb://ledger:hush%40@store:2114?tls=true&tlsCAFile=%2Fca.pem';
    const store = parseStoreUrl(url);
    expect([store.nodes, store.isCluster]).toEqual([['store:2114'], false]);
    expect(store.urlOf('store:2114')).toBe(url);
    expect(store.options.get('tlscafile')).toBe('/ca.pem');
  });

  it('may have an equals sign in an option', () =>
    expect(parseStoreUrl('esdb://store?tls=true&tlsCAFile=/a=b/ca.pem').options.get('tlscafile')).toBe(
      '/a=b/ca.pem',
    ));

  it('names several, each once and with the port that is the default', () => {
    const store = parseStoreUrl('esdb://a,b:2115,a:2113/?tls=false&keepAliveInterval=20000');
    expect([store.nodes, store.isCluster, store.isDiscovered]).toEqual([['a:2113', 'b:2115'], true, false]);
    expect(store.urlOf('c:1')).toBe('esdb://c:1?tls=false&keepAliveInterval=20000');
  });

  it('is a DNS name that stands for all nodes', () => {
    const store = parseStoreUrl('esdb+discover://cluster.internal');
    expect([store.nodes, store.isCluster, store.isDiscovered]).toEqual([
      ['cluster.internal:2113'],
      true,
      true,
    ]);
    expect(store.urlOf('10.0.0.1:2113')).toBe('esdb://10.0.0.1:2113');
  });
});
