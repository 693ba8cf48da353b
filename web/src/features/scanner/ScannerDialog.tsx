/**
 * Reads a QR code with the camera. It closes after a code or a failure, and always switches the camera off.
 */
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { styled } from '@mui/material/styles';
import { SwitchCamera, Zap, ZapOff } from 'lucide-react';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { browser } from '../../shared/navigation/leaving.js';
import { recipientFromCode, tipPageFromCode, type ScannedRecipient } from './scanned-recipient.js';
import { useToast } from '../../shared/ui/toasts.js';
import { BusyDots } from '../../shared/ui/BusyButton.js';
import { TitledDialog } from '../../shared/ui/TitledDialog.js';
import {
  cameraOf,
  cameraProblem,
  camerasToChoose,
  closeCamera,
  FLASH_PROBLEM,
  hasCameras,
  INVALID_CODE,
  NOT_AVAILABLE,
  openCamera,
  switchFlash,
  whenCameraEnds,
  type Camera,
  type CameraProblem,
} from './camera.js';
import { watchForCode } from './watch-for-code.js';

const Body = styled('div')({ padding: '12px 20px 20px', display: 'grid', gap: 16 });

const Frame = styled('div')(({ theme }) => ({
  position: 'relative',
  overflow: 'hidden',
  aspectRatio: '1',
  borderRadius: 16,
  display: 'grid',
  placeItems: 'center',
  backgroundColor: theme.vars.palette.stage.main,
  color: theme.vars.palette.stage.on,
  '& video': { position: 'absolute', inset: 0, width: '100%', height: '100%', objectFit: 'cover' },
  '& > p': { position: 'relative', margin: 0, display: 'flex', alignItems: 'center' },
  // Four corners that show where to hold the code.
  '& > .aim': {
    position: 'absolute',
    inset: '16%',
    width: '68%',
    height: '68%',
    fill: 'none',
    strokeWidth: 2.4,
    strokeLinecap: 'round',
  },
  '& > .aim path': { stroke: theme.vars.palette.tungsten.main },
}));

const Actions = styled('div')({ display: 'flex', gap: 10, flexWrap: 'wrap', '& > *': { flex: '1 1 120px' } });

interface ScannerDialogProps {
  readonly onClose: () => void;
  readonly onScanned: (recipient: ScannedRecipient) => void;
  /** Finds a code in the video. */
  readonly watch?: typeof watchForCode;
}

export default function ScannerDialog({ onClose, onScanned, watch = watchForCode }: ScannerDialogProps) {
  const toast = useToast();
  const [cameraId, setCameraId] = useState<string>();
  const [cameras, setCameras] = useState<readonly Camera[]>([]);
  const [stream, setStream] = useState<MediaStream>();
  const [isFlashOn, setFlashOn] = useState(false);
  const video = useRef<HTMLVideoElement>(null);

  const end = useEffectEvent((problem: CameraProblem) => {
    toast.error(problem.title, problem.description);
    onClose();
  });
  const read = useEffectEvent((text: string) => {
    const page = tipPageFromCode(text, window.location.origin);
    const recipient = page === undefined ? recipientFromCode(text) : undefined;
    if (page !== undefined) browser.goTo(page);
    else if (recipient !== undefined) onScanned(recipient);
    else return end(INVALID_CODE);
    // While the tip page loads too: the next look would begin to load it anew.
    onClose();
  });

  useEffect(() => {
    let isOpen = true;
    let camera: MediaStream | undefined;
    let stop: () => void = () => undefined;
    const start = async () => {
      if (!hasCameras()) return end(NOT_AVAILABLE);
      try {
        const opened = await openCamera(cameraId);
        // The dialog was closed while the camera was starting: switch it off.
        if (!isOpen || video.current === null) return closeCamera(opened);
        camera = opened;
        whenCameraEnds(opened, () => isOpen && end(cameraProblem(undefined)));
        video.current.srcObject = opened;
        await video.current.play();
        if (!isOpen) return;
        setStream(opened);
        stop = watch(video.current, (text) => isOpen && read(text));
        const choice = await camerasToChoose();
        if (isOpen) setCameras(choice);
      } catch (error) {
        if (isOpen) end(cameraProblem(error));
      }
    };
    void start();
    return () => {
      isOpen = false;
      stop();
      setStream(undefined);
      setFlashOn(false);
      if (camera) closeCamera(camera);
    };
  }, [cameraId, watch]);

  const toggleFlash = async () => {
    if (stream === undefined) return;
    try {
      await switchFlash(stream, !isFlashOn);
      setFlashOn(!isFlashOn);
    } catch {
      toast.error(FLASH_PROBLEM.title, FLASH_PROBLEM.description);
    }
  };
  const nextCamera = () => {
    const at = cameras.findIndex(({ id }) => id === (stream && cameraOf(stream)));
    setCameraId(cameras[(at + 1) % cameras.length]?.id);
  };

  const FlashIcon = isFlashOn ? ZapOff : Zap;
  return (
    <TitledDialog title="Scan QR Code" onClose={onClose}>
      <Body>
        <Frame>
          <video
            ref={video}
            muted
            playsInline
            aria-label="What the camera sees"
            hidden={stream === undefined}
          />
          {stream === undefined ? (
            <p role="status">
              <BusyDots />
              Starting camera
            </p>
          ) : (
            <svg className="aim" viewBox="0 0 100 100" aria-hidden="true">
              <path d="M2 20V8a6 6 0 0 1 6-6h12M80 2h12a6 6 0 0 1 6 6v12M98 80v12a6 6 0 0 1-6 6H80M20 98H8a6 6 0 0 1-6-6V80" />
            </svg>
          )}
        </Frame>
        <Typography color="textSecondary" style={{ textAlign: 'center' }}>
          Hold the code inside the corners. It is read by itself.
        </Typography>
        <Actions>
          <Button
            variant="outlined"
            disabled={stream === undefined}
            aria-pressed={isFlashOn}
            startIcon={<FlashIcon size={18} strokeWidth={1.75} aria-hidden="true" />}
            onClick={() => void toggleFlash()}
          >
            Flash
          </Button>
          {cameras.length > 1 && (
            <Button
              variant="outlined"
              disabled={stream === undefined}
              startIcon={<SwitchCamera size={18} strokeWidth={1.75} aria-hidden="true" />}
              onClick={nextCamera}
            >
              Switch camera
            </Button>
          )}
        </Actions>
      </Body>
    </TitledDialog>
  );
}
