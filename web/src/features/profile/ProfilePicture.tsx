/**
 * One's own picture: choosing a photo, and taking it away. Payers see it on a tip page, where there is one.
 */
import Button from '@mui/material/Button';
import { Camera } from 'lucide-react';
import { useRef, useState, type ChangeEvent } from 'react';
import { useUser } from '../account/current-user.js';
import { fullName } from '../../shared/wording/people.js';
import { Avatar } from '../../shared/ui/Avatar.js';
import { BusyButton } from '../../shared/ui/BusyButton.js';
import { FieldHelp } from '../../shared/ui/Field.js';
import { putPicture } from './outcomes.js';
import { Card, Note, Row, Section } from '../../shared/ui/Layout.js';
import { useFailure } from '../../shared/ui/failure.js';
import { useToast } from '../../shared/ui/toasts.js';
import {
  NotShown,
  PICTURE_KINDS,
  shrunk,
  usePutPictureMutation,
  useRemovePictureMutation,
} from './picture.js';

export function ProfilePicture() {
  const user = useUser();
  const toast = useToast();
  const failed = useFailure();
  const input = useRef<HTMLInputElement>(null);
  const [put, putting] = usePutPictureMutation();
  const [remove, removing] = useRemovePictureMutation();
  const [isShrinking, setShrinking] = useState(false);
  const [problem, setProblem] = useState<string>();
  const isBusy = isShrinking || putting.isLoading;

  const chosen = async ({ target }: ChangeEvent<HTMLInputElement>) => {
    const [file] = target.files ?? [];
    // The same file again is another choice.
    target.value = '';
    if (file === undefined) return;
    setProblem(undefined);
    setShrinking(true);
    try {
      await put(await shrunk(file)).unwrap();
      toast.success(...putPicture.done(undefined, undefined));
    } catch (error) {
      if (error instanceof NotShown) setProblem(error.message);
      else failed(error, putPicture.failed, putPicture.failedTitle);
    } finally {
      setShrinking(false);
    }
  };
  const takeAway = async () => {
    try {
      await remove().unwrap();
      toast.success('Picture Removed', 'Your initials are shown again.');
    } catch (error) {
      failed(error, 'Failed to remove the picture. Please try again.', 'Picture Not Removed');
    }
  };

  return (
    <Section title="Your picture">
      <Card padding={20} gap={14}>
        <Row>
          <Avatar name={fullName(user)} picture={user.profileImageUrl} size={72} />
          <Note>A photo of you, instead of your initials. The place where it was taken is not kept.</Note>
        </Row>
        {/* The button beside it is what people press; this one only opens the choice. */}
        <input
          ref={input}
          type="file"
          accept={PICTURE_KINDS}
          hidden
          aria-label="Photo"
          onChange={(event) => void chosen(event)}
        />
        <Row>
          <BusyButton
            variant="outlined"
            isBusy={isBusy}
            busyLabel="Saving the picture"
            startIcon={<Camera size={19} strokeWidth={1.75} />}
            onClick={() => input.current?.click()}
          >
            {user.profileImageUrl === null ? 'Choose a Photo' : 'Choose Another'}
          </BusyButton>
          {user.profileImageUrl !== null && (
            <Button variant="text" disabled={removing.isLoading} onClick={() => void takeAway()}>
              Remove
            </Button>
          )}
        </Row>
        <FieldHelp id="picture-problem" {...(problem === undefined ? {} : { error: problem })} />
      </Card>
    </Section>
  );
}
