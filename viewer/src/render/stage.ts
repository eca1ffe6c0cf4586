// The stage: camera, light, ground and the canvas. Draws only when something changed.
import {
  AmbientLight,
  Box3,
  DirectionalLight,
  HemisphereLight,
  type Intersection,
  OrthographicCamera,
  Mesh,
  PCFSoftShadowMap,
  PerspectiveCamera,
  Plane,
  PlaneGeometry,
  Raycaster,
  Scene as Scene3,
  ShadowMaterial,
  Vector2,
  Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { MOUSE, TOUCH } from "three";
import type { Viewpoint } from "../common/shared";
import { colour, onTheme } from "../common/theme";
import { followed } from "./follow";
import { Grid } from "./grid";
import type { MechanismView } from "./mechanism";

const FOV = 32; // degrees
const FARTHEST = 4; // times its size: what nothing holds is not followed further
const SLOW_PICTURE = 45; // ms later than asked for
const MOST_SLOW = 12; // such pictures, until shadows are left out
const MARGIN = 1.14; // of the view, over what it shows

export class Stage {
  readonly scene = new Scene3();
  controls!: OrbitControls;
  onDraw: (() => void) | null = null;
  private camera: PerspectiveCamera | OrthographicCamera = new PerspectiveCamera(FOV);
  private readonly renderer: WebGLRenderer;
  private readonly key = new DirectionalLight(0xffffff, 2.2);
  private readonly caster = new Raycaster();
  private readonly floor = new Mesh(new PlaneGeometry(1, 1), new ShadowMaterial({ opacity: 0.16 }));
  private slowPictures = 0;
  private view: MechanismView | null = null;
  private grid: Grid | null = null;
  private waiting = false;
  private late = 0; // ms
  drawn = 0; // pictures so far
  private height = 1; // of the orthographic view, m
  // What was last fitted: again when the canvas changes its shape, until a person moves the view.
  private fitted: { direction: Vector3; box: Box3 } | null = null;

  constructor(readonly canvas: HTMLCanvasElement) {
    this.renderer = new WebGLRenderer({ canvas, antialias: true, alpha: true });
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFSoftShadowMap;
    this.key.castShadow = true;
    this.key.shadow.mapSize.set(2048, 2048);
    this.key.shadow.radius = 5;
    this.key.shadow.bias = -5e-4;
    if (drawsInSoftware(this.renderer)) this.key.castShadow = this.floor.visible = false;
    this.floor.receiveShadow = true;
    this.floor.raycast = () => {};
    this.scene.add(new AmbientLight(0xffffff, 0.55), new HemisphereLight(0xffffff, 0x8894a4, 1.1));
    this.scene.add(this.key, this.key.target, this.floor);
    this.caster.params.Line.threshold = 0;
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement ?? canvas);
    onTheme(() => this.refreshTheme());
  }

  // Takes its measures from another mechanism, which the caller adds to the scene; the camera stays where it
  // is if that is asked for.
  show(view: MechanismView, keepCamera: boolean): void {
    const planarBefore = this.view?.scene.planar;
    this.grid?.dispose();
    this.view = view;
    this.grid = new Grid(view.size, view.scene.planar);
    this.scene.add(this.grid.mesh);
    if (!keepCamera || planarBefore !== view.scene.planar) this.makeCamera();
    this.resize();
    this.refreshTheme();
  }

  get cell(): number {
    return this.grid?.cell ?? 1;
  }

  invalidate(): void {
    if (this.waiting) return;
    this.waiting = true;
    // A machine that draws slowly gets as much rest as the last picture was late: the page stays usable.
    if (this.late > 10) setTimeout(() => this.drawNext(), this.late);
    else this.drawNext();
  }

  private drawNext(): void {
    const asked = performance.now();
    requestAnimationFrame(() => {
      this.late = Math.min(performance.now() - asked - 17, 250);
      if (this.late > SLOW_PICTURE && ++this.slowPictures === MOST_SLOW) this.shadows = false;
      this.waiting = false;
      this.draw();
    });
  }

  // Soft shadows; a machine that draws slowly does without.
  get shadows(): boolean {
    return this.key.castShadow;
  }

  set shadows(yes: boolean) {
    this.key.castShadow = this.floor.visible = yes;
    this.invalidate();
  }

  // From the viewer's side and above, with all of the mechanism in its light.
  private placeLight(): void {
    const { view, key, camera } = this;
    if (!view) return;
    const { size, up } = view.size;
    const box = this.fitted?.box ?? view.size.box;
    const middle = box.getCenter(new Vector3());
    const reach = Math.max(0.6 * box.getSize(new Vector3()).length(), size);
    const toward = camera.position
      .clone()
      .sub(this.controls?.target ?? middle)
      .normalize();
    const right = new Vector3().crossVectors(up, toward).normalize();
    toward.addScaledVector(up, 1.1).addScaledVector(right, -0.4).normalize();
    key.target.position.copy(middle);
    key.position.copy(middle).addScaledVector(toward, 3 * reach);
    Object.assign(key.shadow.camera, { left: -reach, right: reach, top: reach, bottom: -reach });
    Object.assign(key.shadow.camera, { near: 0.5 * reach, far: 6 * reach });
    key.shadow.camera.updateProjectionMatrix();
    const normal = view.scene.planar ? new Vector3(0, 0, 1) : up;
    const level = view.scene.planar ? -1.4 * view.size.unit : view.size.floor;
    this.floor.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), normal);
    this.floor.position.copy(middle).addScaledVector(normal, level - middle.dot(normal));
    this.floor.scale.setScalar(12 * reach);
  }

  // Pixels of the page that a length at the middle of the view takes.
  pixels(length: number): number {
    return (length / this.viewHeight()) * this.canvas.clientHeight;
  }

  draw(): void {
    this.placeLight();
    this.renderer.render(this.scene, this.camera);
    ++this.drawn;
    this.onDraw?.();
  }

  // Looks from a direction at everything: "front", "top", "side", "iso".
  look(name: string): void {
    const view = this.view;
    if (!view) return;
    const up = view.size.up;
    const right = Math.abs(up.x) > 0.5 ? new Vector3(0, 1, 0) : new Vector3(1, 0, 0);
    const front = new Vector3().crossVectors(right, up);
    const directions: Record<string, Vector3> = {
      front: view.scene.planar ? new Vector3(0, 0, 1) : front,
      top: up.clone().addScaledVector(front, 1e-3),
      side: view.scene.planar ? new Vector3(1, 0, 1e-3) : right,
      iso: front.clone().addScaledVector(right, 0.75).addScaledVector(up, 0.55),
    };
    this.fitFrom((directions[name] ?? front).clone().normalize());
  }

  // Everything in sight, from where the camera looks now.
  fit(box?: Box3): void {
    this.fitFrom(this.camera.position.clone().sub(this.controls.target).normalize(), box);
  }

  // Keeps in sight what moves, until a person moves the view: the view widens, and goes along with what travels.
  follow(): void {
    const { view, fitted } = this;
    if (!view || !fitted) return;
    const moving = view.moving(FARTHEST * view.size.size);
    if (moving.isEmpty() || fitted.box.containsBox(moving)) return;
    fitted.box = followed(fitted.box, moving, view.size.size);
    this.frameView();
  }

  // That box comes into sight too, unless a person has moved the view.
  widen(box: Box3): void {
    if (!this.fitted || box.isEmpty()) return;
    this.fitted.box.union(box);
    this.frameView();
  }

  get viewpoint(): Viewpoint {
    const { target } = this.controls;
    const direction = this.camera.position.clone().sub(target).normalize().toArray();
    return { direction, target: target.toArray(), height: this.viewHeight(), fitted: this.fitted !== null };
  }

  set viewpoint({ direction, target, height, fitted }: Viewpoint) {
    const way = new Vector3().fromArray(direction);
    if (fitted || !this.view) {
      this.fitFrom(way);
      return;
    }
    this.fitted = null;
    this.height = height;
    this.camera.zoom = 1;
    const planar = this.camera instanceof OrthographicCamera;
    const distance = planar ? 4 * this.view.size.size : height / (2 * Math.tan((FOV * Math.PI) / 360));
    this.controls.target.fromArray(target);
    this.camera.position.fromArray(target).addScaledVector(way, distance);
    this.controls.update();
    this.frameView();
  }

  // The view stays as it is, whatever comes into it.
  hold(): void {
    this.fitted = null;
  }

  // After a reset: as it was first seen, if nobody has moved the view.
  refit(): void {
    if (this.fitted && this.view) this.fitFrom(this.fitted.direction, this.view.size.box.clone());
  }

  ray(x: number, y: number): Raycaster {
    const bounds = this.canvas.getBoundingClientRect();
    const at = new Vector2(((x - bounds.left) / bounds.width) * 2 - 1, 1 - ((y - bounds.top) / bounds.height) * 2);
    this.caster.setFromCamera(at, this.camera);
    return this.caster;
  }

  pick(x: number, y: number): Intersection | null {
    if (!this.view) return null;
    this.scene.updateMatrixWorld();
    return this.ray(x, y).intersectObjects(this.view.pickable, true)[0] ?? null;
  }

  // Where the pointer meets the plane through `through` that faces the camera (space) or holds the mechanism.
  onPlane(x: number, y: number, through: Vector3): Vector3 | null {
    const normal = this.view?.scene.planar ? new Vector3(0, 0, 1) : this.camera.getWorldDirection(new Vector3());
    const plane = new Plane().setFromNormalAndCoplanarPoint(normal, through);
    return this.ray(x, y).ray.intersectPlane(plane, new Vector3());
  }

  // Pixels of the page.
  project(p: Vector3): { x: number; y: number; visible: boolean } {
    const bounds = this.canvas.getBoundingClientRect();
    const v = p.clone().project(this.camera);
    return {
      x: bounds.left + ((v.x + 1) / 2) * bounds.width,
      y: bounds.top + ((1 - v.y) / 2) * bounds.height,
      visible: v.z < 1 && Math.abs(v.x) < 1.05 && Math.abs(v.y) < 1.05,
    };
  }

  viewDirection(): Vector3 {
    return this.camera.getWorldDirection(new Vector3());
  }

  // A picture of so many pixels across, whatever the window has.
  async image(width: number): Promise<Blob | null> {
    const ratio = this.renderer.getPixelRatio();
    this.renderer.setPixelRatio(1);
    this.renderer.setSize(width, Math.round(width / this.aspect()), false);
    this.draw();
    const blob = await new Promise<Blob | null>((done) => this.canvas.toBlob(done, "image/png"));
    this.renderer.setPixelRatio(ratio);
    this.resize();
    this.draw();
    return blob;
  }

  private makeCamera(): void {
    const view = this.view;
    if (!view) return;
    const planar = view.scene.planar;
    const far = 60 * view.size.size;
    this.camera = planar
      ? new OrthographicCamera(-1, 1, 1, -1, -far, far)
      : new PerspectiveCamera(FOV, 1, view.size.size / 400, far);
    this.camera.up.copy(view.size.up);
    this.controls?.dispose();
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.enableDamping = false;
    this.controls.zoomToCursor = true;
    // A plane is moved over by the mouse, a space turned around; the right button does the other.
    this.controls.mouseButtons = planar
      ? { LEFT: MOUSE.PAN, MIDDLE: MOUSE.DOLLY, RIGHT: MOUSE.ROTATE }
      : { LEFT: MOUSE.ROTATE, MIDDLE: MOUSE.DOLLY, RIGHT: MOUSE.PAN };
    this.controls.touches = planar
      ? { ONE: TOUCH.PAN, TWO: TOUCH.DOLLY_ROTATE }
      : { ONE: TOUCH.ROTATE, TWO: TOUCH.DOLLY_PAN };
    this.controls.addEventListener("change", () => {
      this.placeGrid();
      this.invalidate();
    });
    this.controls.addEventListener("start", () => (this.fitted = null));
    this.look(planar ? "front" : "iso");
  }

  private fitFrom(direction: Vector3, given?: Box3): void {
    const view = this.view;
    if (!view) return;
    this.fitted = { direction, box: given ?? view.extent() };
    this.frameView();
  }

  private place(view: MechanismView, direction: Vector3, box: Box3): void {
    const target = box.getCenter(new Vector3());
    const radius = Math.max(0.5 * box.getSize(new Vector3()).length(), 4 * view.size.unit);
    const aspect = this.aspect();
    this.controls.target.copy(target);
    if (this.camera instanceof OrthographicCamera) {
      const extent = box.getSize(new Vector3());
      this.height =
        MARGIN * Math.max(extent.y + 5 * view.size.unit, (extent.x + 5 * view.size.unit) / aspect, 0.5 * radius);
      this.camera.zoom = 1;
      this.camera.position.copy(target).addScaledVector(direction, 4 * radius);
    } else {
      const extent = box.getSize(new Vector3()).addScalar(4 * view.size.unit);
      this.camera.position.copy(target).addScaledVector(direction, MARGIN * this.distance(extent, direction, aspect));
    }
    this.controls.update();
  }

  // As near as shows every corner of a box.
  private distance(extent: Vector3, direction: Vector3, aspect: number): number {
    const right = new Vector3().crossVectors(this.camera.up, direction).normalize();
    const up = new Vector3().crossVectors(direction, right);
    const slope = Math.tan((FOV * Math.PI) / 360);
    let most = 0;
    for (let corner = 0; corner < 8; ++corner) {
      const p = new Vector3(corner & 1 ? 0.5 : -0.5, corner & 2 ? 0.5 : -0.5, corner & 4 ? 0.5 : -0.5).multiply(extent);
      const aside = Math.max(Math.abs(p.dot(up)), Math.abs(p.dot(right)) / aspect);
      most = Math.max(most, p.dot(direction) + aside / slope);
    }
    return most;
  }

  private aspect(): number {
    const holder = this.canvas.parentElement ?? this.canvas;
    return Math.max(holder.clientWidth, 1) / Math.max(holder.clientHeight, 1);
  }

  private resize(): void {
    const holder = this.canvas.parentElement ?? this.canvas;
    this.renderer.setSize(Math.max(holder.clientWidth, 1), Math.max(holder.clientHeight, 1), false);
    this.frameView();
  }

  private frameView(): void {
    const aspect = this.aspect();
    if (this.view && this.fitted) this.place(this.view, this.fitted.direction, this.fitted.box);
    if (this.camera instanceof OrthographicCamera) {
      const half = this.height / 2;
      Object.assign(this.camera, { left: -half * aspect, right: half * aspect, top: half, bottom: -half });
    } else {
      this.camera.aspect = aspect;
    }
    this.camera.updateProjectionMatrix();
    this.placeGrid();
    this.invalidate();
  }

  private placeGrid(): void {
    if (!this.controls) return;
    this.grid?.around(this.controls.target, this.viewHeight());
  }

  // What the view shows from top to bottom, m, at what it looks at.
  private viewHeight(): number {
    const { camera } = this;
    if (camera instanceof OrthographicCamera) return this.height / camera.zoom;
    return 2 * camera.position.distanceTo(this.controls?.target ?? new Vector3()) * Math.tan((FOV * Math.PI) / 360);
  }

  private refreshTheme(): void {
    this.scene.background = null;
    this.renderer.setClearColor(colour("stage"), 0);
    this.view?.refreshTheme();
    this.grid?.refreshTheme();
    this.invalidate();
  }
}

// Without a graphics card shadows cost more than all the rest.
function drawsInSoftware(renderer: WebGLRenderer): boolean {
  const gl = renderer.getContext();
  const names = gl.getExtension("WEBGL_debug_renderer_info");
  const name = names ? String(gl.getParameter(names.UNMASKED_RENDERER_WEBGL)) : "";
  return /swiftshader|llvmpipe|software|basic render/i.test(name);
}
