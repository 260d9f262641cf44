// Every page: copy buttons, and its packed parts.
import "./copy.js";
import { fillParts } from "./packed-parts.js";

fillParts();
