import "../common/base.css";
