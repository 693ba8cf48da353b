/** Of which mode of the card provider's a key is: no key says more than its beginning. */
import type { ProviderMode } from '#contracts/events/journal';

/** The mode that a secret or publishable key is of; undefined where it is none of the provider's. */
export const keyMode = (key: string): ProviderMode | undefined =>
  (['live', 'test'] as const).find((mode) => key.slice(2).startsWith(`_${mode}_`));
