/** What the server says of the card provider, for every page: the provider's script is not part of this. */
import type { BrowserConfiguration } from '#contracts/api/browser-configuration';
import { api } from '../../shared/api/api.js';

const configuration = api.injectEndpoints({
  endpoints: (build) => ({
    browserConfiguration: build.query<BrowserConfiguration | null, void>({ query: () => '/api/config' }),
  }),
});
export const { useBrowserConfigurationQuery } = configuration;

const ALL_METHODS: BrowserConfiguration['paymentMethods'] = ['card', 'cashapp'];

/** The ways to pay that are to be offered: all, as long as it is not known that one is inactive. */
export function useOfferedMethods(): BrowserConfiguration['paymentMethods'] {
  // A ledger of before, during an upgrade, does not say it.
  const { data } = useBrowserConfigurationQuery();
  return (data as Partial<BrowserConfiguration> | null | undefined)?.paymentMethods ?? ALL_METHODS;
}
