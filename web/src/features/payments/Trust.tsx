/**
 * What tells a recipient from somebody who imitates them: the mark of a verified professional, and a word of
 * caution.
 */
import { styled } from '@mui/material/styles';
import { BadgeCheck } from 'lucide-react';
import type { FoundUser } from '#contracts/api/users';
import { readsAsLatin } from '#contracts/plain/look-alikes';
import { mixesAlphabets } from '#contracts/plain/names';
import { fullName } from '../../shared/wording/people.js';

const Mark = styled('span')({
  display: 'inline-flex',
  alignItems: 'center',
  gap: 3,
  verticalAlign: 'bottom',
  whiteSpace: 'nowrap',
  fontWeight: 600,
});

/** `@name`, and whether the provider knows who they are. Nothing is said of who is not verified. */
export function Handle({ person, otherwise }: { readonly person: FoundUser; readonly otherwise?: string }) {
  const handle = otherwise ?? `@${person.username}`;
  return (
    <>
      <bdi>{handle}</bdi>
      {person.isVerified && (
        <>
          {/* Its icon parts them: on a narrow card it begins the next line. */}{' '}
          <Mark>
            <BadgeCheck size={14} strokeWidth={2.2} aria-hidden="true" />
            Verified Professional
          </Mark>
        </>
      )}
    </>
  );
}

/** The same mark after a name, where there is no room for its words. */
export function VerifiedMark({ person }: { readonly person: FoundUser }) {
  return person.isVerified ? (
    <BadgeCheck size={16} strokeWidth={2.2} role="img" aria-label="Verified Professional" />
  ) : null;
}

/** The caution for a name whose letters only look like another's; undefined for every other name. */
export function cautionFor(person: FoundUser | null | undefined): string | undefined {
  if (!person) return undefined;
  const names = [fullName(person), person.username];
  if (mixesAlphabets(names.join(' ')))
    return 'This name mixes letters of several alphabets. Make sure that it is who you mean.';
  return names.some(readsAsLatin)
    ? 'This name has letters that only look like Latin ones. Make sure that it is who you mean.'
    : undefined;
}
